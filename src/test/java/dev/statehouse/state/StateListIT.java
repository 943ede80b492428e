package dev.statehouse.state;

import static dev.statehouse.testing.ContractClient.encode;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.FragileService;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Listing, and rows that other programs left in the table. */
@Execution(ExecutionMode.CONCURRENT)
class StateListIT {

    private final RunningService service = RunningService.shared();
    private final ContractClient http = service.client();
    private final String prefix = RunningService.freshPrefix();

    @AfterEach
    void empty() {
        http.delete("/states?pattern=*" + prefix + "*").expect(200);
    }

    private List<String> pages(String query) {
        List<String> pages = new ArrayList<>();
        String after = "";
        while (after != null) {
            JsonNode page = http.get("/states?pattern=" + prefix + "*&" + query + "&after=" + encode(after))
                    .expect(200)
                    .json();
            pages.add(String.join(" ", page.path("states")
                    .valueStream()
                    .map(line -> line.path("state_id").asString().substring(prefix.length()))
                    .toList()));
            after = page.path("next").isNull() ? null : page.path("next").asString();
        }
        return pages;
    }

    @Test
    void pagesInByteOrder() {
        for (String tail : List.of("b", "a", "\u00e9", "B", "\ud83d\ude80", "\uffff", "a/b", "a:b", "")) {
            http.put(state(prefix + tail), "{\"completed_state\": {\"v\": 1}}").expect(201);
        }
        List<String> all = List.of(" B a", "a/b a:b b", "\u00e9 \uffff \ud83d\ude80");
        assertThat(pages("limit=3")).isEqualTo(all);
        assertThat(pages("limit=3&include=documents")).isEqualTo(all);
        assertThat(pages("limit=1000")).isEqualTo(List.of(String.join(" ", all)));
        assertThat(pages("limit=9")).hasSize(1);
        assertThat(pages("limit=8")).hasSize(2);
        http.delete(state(prefix + "a/b"));
        http.delete(state(prefix));
        assertThat(pages("limit=3")).isEqualTo(List.of("B a a:b", "b \u00e9 \uffff", "\ud83d\ude80"));
        assertThat(http.get("/states?pattern=" + prefix + "*&after=" + prefix + "zz&limit=1").json().path("states"))
                .hasSize(1);
    }

    @Test
    void aLineSaysWhatThereIs() {
        http.put(state(prefix), "{\"completed_state\": {\"v\":   1}, \"partial_state\": {\"\u00e9\": 1}}").expect(201);
        Answer record = http.get(state(prefix));
        JsonNode line = http.get("/states?pattern=" + prefix + "&include=documents").json().path("states").path(0);
        assertThat(line.path("size_bytes").asInt()).isEqualTo("{\"v\":1}".length() + "{\"\u00e9\":1}".length() + 1);
        assertThat(line.path("has_completed").asBoolean()).isTrue();
        assertThat(line.path("has_partial").asBoolean()).isTrue();
        for (String name : new String[]{"state_id", "version", "updated_at", "completed_state", "partial_state"}) {
            assertThat(line.path(name)).as(name).isEqualTo(record.json().path(name));
        }
    }

    @Test
    void aPageOfDocumentsEndsOnceItIsLarge() {
        String large = "x".repeat(4 * 1024 * 1024 - 100);
        for (String tail : new String[]{"1", "2", "3"}) {
            http.put(state(prefix + tail), "{\"completed_state\": {\"v\": \"%s\"}}".formatted(large)).expect(201);
        }
        http.put(state(prefix + "4"), "{\"completed_state\": {\"v\": \"%s\"}}".formatted(large + large + large))
                .expect(201);
        assertThat(pages("include=documents")).isEqualTo(List.of("1 2", "3", "4"));
        http.delete("/states?pattern=" + prefix + "*").expect(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"limit=0", "limit=1001", "limit=-1", "limit=1.5", "limit=abc", "limit=", "limit=1e3",
            "limit=99999999999999999999", "include=all", "include=", "after=..", "after=%00", "after=%0A",
            "pattern=%00%zz",
            "limit=1&limit=2", "pattern=%ff"})
    void refusesWhatIsOutOfRange(String query) {
        http.get("/states?" + query).expect(400, "invalid-parameter");
    }

    @Test
    void refusesTextsThatAreTooLong() {
        http.get("/states?after=" + "a".repeat(1025)).expect(400, "invalid-parameter");
        http.get("/states?pattern=" + "a".repeat(1025)).expect(400, "invalid-parameter");
        http.get("/export?pattern=" + "a".repeat(1025)).expect(400, "invalid-parameter");
        http.get("/locks?pattern=" + "a".repeat(1025)).expect(400, "invalid-parameter");
        http.get("/states?offset=1").expect(400, "unknown-parameter");
        http.get("/export?limit=1").expect(400, "unknown-parameter");
    }

    /** On a service that nobody else uses meanwhile, so that two answers can be the same. */
    @Test
    @ResourceLock(FragileService.LOCK)
    void anEmptyPatternIsAll() {
        ContractClient alone = FragileService.shared().service().client();
        alone.put(state("!" + prefix), "{\"completed_state\": {\"v\": 1}}").expect(201);
        assertThat(alone.get("/states?pattern=&after=&limit=1000").expect(200).text()).isEqualTo(
                alone.get("/states?limit=1000").expect(200).text()).contains(prefix);
        assertThat(alone.get("/export?pattern=").expect(200).text()).isEqualTo(alone.get("/export").text())
                .contains(prefix);
        alone.get("/locks?pattern=").expect(200);
        alone.delete(state("!" + prefix)).expect(204);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"{\"a\": NaN}", "[1, 2]", "some text", "{\"a\": 1", "\"{}\"", "5",
            "{a: 1}"})
    void whatAnotherProgramLeftCanBeSeenAndRepaired(String text) {
        String completed = prefix + "c";
        String partial = prefix + "p";
        service.insert(completed, "{\"w\": 1}", text);
        service.insert(partial, text, null);
        assertThat(http.get("/states?pattern=" + prefix + "*")
                .json()
                .path("states")
                .valueStream()
                .map(line -> line.path("readable").asBoolean())).containsExactly(false, false);
        JsonNode documents = http.get("/states?include=documents&pattern=" + prefix + "*").json().path("states");
        documents.forEach(line -> assertThat(line.path("readable").asBoolean()).isFalse());
        for (String id : List.of(completed, partial)) {
            http.get(state(id)).expect(409, "stored-state-unreadable");
            http.get(state(id) + "?view=merged").expect(409, "stored-state-unreadable");
            http.head(state(id)).expect(409);
            http.patch(state(id), "{\"partial_state\": {\"x\": 1}}").expect(409, "stored-state-unreadable");
            http.post(state(id) + "/copy", "{\"to\": \"%s\"}".formatted(prefix + "to")).expect(409);
            http.get("/export?pattern=" + prefix + "*").expect(409, "stored-state-unreadable");
        }
        http.put(state(completed), "{\"completed_state\": {\"v\": 1}}").expect(200);
        http.get(state(completed)).expect(200);
        http.delete(state(partial)).expect(204);
        http.get(state(partial)).expect(404);
        http.get("/export?pattern=" + prefix + "*").expect(200);
    }

    @Test
    void clearingByPatternTakesWhatCannotBeReadToo() {
        service.insert(prefix + "1", null, "NaN");
        http.put(state(prefix + "2"), "{\"completed_state\": {\"v\": 1}}").expect(201);
        http.put(state(prefix.toUpperCase(java.util.Locale.ROOT)), "{\"completed_state\": {\"v\": 1}}").expect(201);
        assertThat(http.delete("/states?dry_run=true&pattern=" + prefix + "*").json().path("deleted").asInt())
                .isEqualTo(2);
        assertThat(pages("limit=10")).isEqualTo(List.of("1 2"));
        assertThat(http.delete("/states?dry_run=false&pattern=" + prefix + "*").json().path("deleted").asInt())
                .isEqualTo(2);
        assertThat(http.delete("/states?pattern=" + prefix + "*").json().path("deleted").asInt()).isZero();
        http.get(state(prefix.toUpperCase(java.util.Locale.ROOT))).expect(200);
    }
}

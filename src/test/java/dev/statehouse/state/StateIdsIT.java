package dev.statehouse.state;

import static dev.statehouse.testing.ContractClient.encode;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

import dev.statehouse.id.StateId;
import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Any text is an id, and reaches the one state that it names. */
@Execution(ExecutionMode.CONCURRENT)
class StateIdsIT {

    private static final List<String> PIECES = List.of("/", "%", "%2F", "%252F", ";", "+", " ", "'", "\"", "\\", "`",
            "?", "#", "&", "=", "*", "[a]", "[!", "_", ":", ".", "..", "~", "|", "{x}", "<>", "^", "@", "$", ",", "(",
            ")",
            "\u00e9", "e\u0301", "\u05e9\u05dc\u05d5\u05dd", "\u202e", "\ud83d\ude80", "\u200b", "\u2028", "\ufeff",
            "\\N", "\\0", "a", "Z", "0", ";v=1", "/../", "-- ", "{fn now()}", "\uffff", "copy");

    private final RunningService service = RunningService.shared();
    private final ContractClient http = service.client();
    private final String prefix = RunningService.freshPrefix();

    @Test
    void everyIdComesBackAsItIsAndAloneIsDeleted() throws Exception {
        Set<String> ids = new LinkedHashSet<>();
        for (String piece : PIECES) {
            ids.add(piece + prefix);
            ids.add(prefix + piece);
        }
        ids.add(prefix);
        ids.add(prefix + "a".repeat(StateId.MAX_BYTES - prefix.length()));
        ids.add("\ud83d\ude80".repeat((StateId.MAX_BYTES - prefix.length()) / 4) + prefix);
        ids.addAll(random(10));
        keptApart(List.copyOf(ids));
    }

    @SuppressWarnings("SystemOut")
    private List<String> random(int count) {
        long seed = System.nanoTime();
        System.out.println("Ids from the seed " + seed);
        Random random = new Random(seed);
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder id = new StringBuilder();
            int where = random.nextInt(6);
            for (int k = 0; k < 6; k++) {
                id.append(k == where ? prefix : PIECES.get(random.nextInt(PIECES.size())));
            }
            ids.add(id.toString());
        }
        return ids;
    }

    private void keptApart(List<String> ids) throws Exception {
        fourAtATime(ids.size(), i -> {
            Answer put = http.put(state(ids.get(i)), "{\"completed_state\": {\"n\": %d}}".formatted(i)).expect(201);
            assertThat(put.json().path("state_id").asString()).isEqualTo(ids.get(i));
        });
        assertThat(listed()).isEqualTo(inByteOrder(ids));
        for (int i = 0; i < ids.size(); i++) {
            JsonNode state = http.get(state(ids.get(i))).expect(200).json();
            assertThat(state.path("state_id").asString()).isEqualTo(ids.get(i));
            assertThat(state.path("completed_state").path("n").asInt()).as(ids.get(i)).isEqualTo(i);
        }
        List<String> half = ids.subList(0, ids.size() / 2);
        fourAtATime(half.size(), i -> http.delete(state(half.get(i))).expect(204));
        assertThat(listed()).isEqualTo(inByteOrder(ids.subList(half.size(), ids.size())));
        assertThat(http.delete("/states?pattern=*" + prefix + "*").expect(200).json().path("deleted").asInt())
                .isEqualTo(ids.size() - half.size());
    }

    private static void fourAtATime(int times, IntConsumer what) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                int number = i;
                all.add(threads.submit(() -> what.accept(number)));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
    }

    private static List<String> inByteOrder(List<String> ids) {
        return List.copyOf(new TreeSet<>(ids.stream().map(StateId::new).toList()))
                .stream()
                .map(StateId::value)
                .toList();
    }

    /** Page by page, so that each id goes through {@code after} too. */
    private List<String> listed() {
        List<String> ids = new ArrayList<>();
        String after = "";
        while (after != null) {
            JsonNode page = http.get("/states?limit=25&pattern=*" + prefix + "*&after=" + encode(after))
                    .expect(200)
                    .json();
            page.path("states").forEach(line -> ids.add(line.path("state_id").asString()));
            after = page.path("next").isNull() ? null : page.path("next").asString();
        }
        return ids;
    }

    @ParameterizedTest
    @CsvSource({"%2f,%2F", "%c3%a9,%C3%A9", "%61,a", "%3a,:", "%3b,;", "%2B,+", "%7e,~", "%2a,*"})
    void waysToWriteTheSameId(String one, String other) {
        http.put("/states/" + prefix + one, "{\"completed_state\": {\"n\": 1}}").expect(201);
        http.put("/states/" + prefix + other, "{\"completed_state\": {\"n\": 2}}").expect(200);
        assertThat(http.get("/states/" + prefix + one).expect(200).json().path("completed_state").path("n").asInt())
                .isEqualTo(2);
    }

    @Test
    void everyByteMayBeEscaped() {
        String id = prefix + "a/\ud83d\ude80";
        String escaped = HexFormat.ofDelimiter("%").formatHex(id.getBytes(StandardCharsets.UTF_8));
        http.put("/states/%" + escaped, "{\"completed_state\": {\"n\": 1}}").expect(201);
        http.get(state(id)).expect(200);
    }

    @Test
    void charactersThatPeopleTypeAreTaken() {
        for (String typed : List.of("|", "[a]", "{b}", "'", "\"", "^", "`", "<>", "\\")) {
            Answer put = http.put("/states/" + prefix + typed, "{\"completed_state\": {\"n\": 1}}").expect(201);
            assertThat(put.json().path("state_id").asString()).isEqualTo(prefix + typed);
        }
        http.put("/states/" + prefix + "\u00fc", "{\"completed_state\": {\"n\": 1}}").expect(400, "bad-request");
    }

    @Test
    void decodedOnceOnly() {
        http.put(state(prefix + "/"), "{\"completed_state\": {\"n\": 1}}").expect(201);
        http.get("/states/" + prefix + "%252F").expect(404, "state-not-found");
        http.get("/states/" + prefix + "%25252F").expect(404, "state-not-found");
        http.delete("/states/" + prefix + "%252F").expect(204);
        http.get("/states/" + prefix + "%2F").expect(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {";", ";b", ";b=c", "%3Bb", "%2F", "%2F..%2Fx", "%00", "/", "/b", "/../b", ";/copy",
            "/copy;"})
    void nothingReachesAnotherState(String tail) {
        http.put(state(prefix), "{\"completed_state\": {\"n\": 1}}").expect(201);
        http.delete("/states/" + prefix + tail);
        http.put("/states/" + prefix + tail, "{\"completed_state\": {\"n\": 2}}");
        http.patch("/states/" + prefix + tail, "{\"completed_state\": {\"n\": 3}}");
        http.post("/states/" + prefix + tail, "{\"to\": \"%sx\"}".formatted(prefix));
        assertThat(http.get(state(prefix)).expect(200).json().path("completed_state").path("n").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "%2E", "%2e%2E", "%00", "a%00", "%0A", "%0D%0A", "%1F", "%7F", "%C2%80",
            "%C2%9F",
            "/copy"})
    void whatIsNoIdIsRefused(String segment) {
        for (String method : List.of("GET", "PUT", "PATCH", "DELETE", "HEAD")) {
            byte[] body = method.startsWith("P")
                    ? "{\"completed_state\": {\"n\": 1}}".getBytes(StandardCharsets.UTF_8)
                    : null;
            Answer answer = http.send(method, "/states/" + segment, body).expect(422);
            assertThat(answer.code()).isEqualTo(method.equals("HEAD") ? "" : "invalid-state-id");
        }
    }

    @Test
    void oneByteTooLong() {
        String longest = prefix + "\u00e9".repeat((StateId.MAX_BYTES - prefix.length()) / 2);
        assertThat(http.get(state(longest + "abc")).expect(422, "invalid-state-id").text()).contains("1,024");
        http.post(state(prefix) + "/copy", "{\"to\": \"%s\"}".formatted(longest + "abc"))
                .expect(422,
                        "invalid-state-id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"%", "%z", "%zz", "%2", "a%2gb", "%%20", "%C3", "%C3%28", "%FF", "%C0%AF", "%C0%80",
            "%E0%80%AF",
            "%ED%A0%80", "%F4%90%80%80", "%F0%9F%9A", "a%80b", "%u002F"})
    void whatCannotBeDecodedIsRefused(String segment) {
        http.get("/states/" + segment).expect(400, "invalid-path");
        http.delete("/states/" + segment).expect(400, "invalid-path");
        http.put("/states/" + segment, "{\"completed_state\": {\"n\": 1}}").expect(400, "invalid-path");
        http.get("/states?pattern=" + segment).expect(400, "invalid-parameter");
        http.get("/states?after=" + segment).expect(400, "invalid-parameter");
    }
}

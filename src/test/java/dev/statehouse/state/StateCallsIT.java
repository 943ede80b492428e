package dev.statehouse.state;

import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the calls on one state answer beyond the cases that are written as data. */
@Execution(ExecutionMode.CONCURRENT)
class StateCallsIT {

    private final RunningService service = RunningService.shared();
    private final ContractClient http = service.client();
    private final String id = RunningService.freshPrefix();

    private Answer given(String body) {
        return http.put(state(id), body).expect(201);
    }

    private static String tag(Answer answer) {
        return String.valueOf(answer.header("ETag"));
    }

    @Test
    void theTagIsTheVersion() {
        Answer put = given("{\"completed_state\": {\"v\": 1}}");
        assertThat(tag(put)).isEqualTo("\"" + put.json().path("version").asLong() + "\"");
        assertThat(tag(http.get(state(id)).expect(200))).isEqualTo(tag(put));
        assertThat(tag(http.get(state(id) + "?view=merged").expect(200))).isEqualTo(tag(put));
        assertThat(http.get("/states?pattern=" + id).json().path("states").path(0).path("version"))
                .isEqualTo(put.json().path("version"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"TAG|304", "W/TAG|304", "*|304", "\"1\", TAG|304", "\"1\", W/TAG|304",
            "\"1\"|200",
            "W/\"1\"|200"})
    void readsOnlyWhatHasChanged(String header, int status) {
        String tag = tag(given("{\"completed_state\": {\"v\": 1}}"));
        for (String view : new String[]{"", "?view=merged", "?view=record"}) {
            Answer answer = http.get(state(id) + view, "If-None-Match", header.replace("TAG", tag)).expect(status);
            assertThat(tag(answer)).isEqualTo(tag);
            assertThat(answer.body().length == 0).isEqualTo(status == 304);
            http.head(state(id) + view, "If-None-Match", header.replace("TAG", tag)).expect(status);
        }
        http.get(state(id + "none"), "If-None-Match", header.replace("TAG", tag)).expect(404, "state-not-found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "\"1", "**", "\"1\",*", ""})
    void aReadRefusesWhatIsNoTag(String header) {
        given("{\"completed_state\": {\"v\": 1}}");
        http.get(state(id), "If-None-Match", header).expect(400, "invalid-header");
    }

    @Test
    void datesAndIfMatchDoNotConcernReads() {
        given("{\"completed_state\": {\"v\": 1}}");
        http.get(state(id), "If-Match", "\"1\"", "If-Modified-Since", "Sun, 29 Nov 2037 00:00:00 GMT",
                "If-Unmodified-Since", "Sun, 29 Nov 1998 00:00:00 GMT", "Range", "bytes=0-1").expect(200);
    }

    @Test
    void whereNoBodyComesButAProblemsWhoTakesThatAloneIsServed() {
        given("{\"completed_state\": {\"v\": 1}}");
        ContractClient generated = http.with("Accept", "application/problem+json");
        generated.head(state(id)).expect(200);
        generated.get(state(id)).expect(406, "not-acceptable");
        generated.delete(state(id), "If-Match", "\"1\"").expect(412, "version-mismatch");
        generated.delete(state(id)).expect(204);
        generated.delete("/locks/" + id, "Lock-Token", "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11").expect(204);
    }

    @Test
    void headIsGetWithoutItsBody() {
        given("{\"completed_state\": {\"v\": 1}, \"partial_state\": {\"w\": 2}}");
        for (String target : new String[]{state(id), state(id) + "?view=merged", state(id + "none"),
                "/states?pattern=" + id,
                "/export?pattern=" + id, state("."), "/states/%zz", state(id) + "?view=x", "/locks/" + id}) {
            Answer get = http.get(target);
            Answer head = http.head(target).expect(get.status());
            assertThat(head.body()).isEmpty();
            assertThat(head.header("Content-Type")).as(target).isEqualTo(get.header("Content-Type"));
            assertThat(head.header("ETag")).as(target).isEqualTo(get.header("ETag"));
            assertThat(head.header("Cache-Control")).as(target).isEqualTo(get.header("Cache-Control"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"If-Match|TAG|200", "If-Match|*|200", "If-Match|\"1\", TAG|200",
            "If-Match|W/TAG|412",
            "If-Match|\"1\"|412", "If-Match|W/\"1\",\"2\"|412", "If-None-Match|*|412", "If-None-Match|TAG|412",
            "If-None-Match|W/TAG|412", "If-None-Match|\"1\"|200"})
    void preconditionsHoldOnEveryWrite(String header, String value, int status) {
        String other = id + "other";
        http.put(state(other), "{\"completed_state\": {\"o\": 1}}").expect(201);
        String tag = tag(given("{\"completed_state\": {\"v\": 1}}"));
        tag = tag(check(http.put(state(id), "{\"completed_state\": {\"v\": 2}}", header, value.replace("TAG", tag)),
                status,
                tag));
        tag = tag(check(http.patch(state(id), "{\"partial_state\": {\"v\": 3}}", header, value.replace("TAG", tag)),
                status,
                tag));
        tag = tag(check(http.post(state(id) + "/merge", "{\"from\": \"%s\"}".formatted(other), header,
                value.replace("TAG", tag)), status, tag));
        check(http.post(state(id) + "/copy", "{\"to\": \"%s\"}".formatted(id + "copy"), header,
                value.replace("TAG", tag)),
                status, tag);
        check(http.post(state(id) + "/move", "{\"to\": \"%s\"}".formatted(id + "moved"), header,
                value.replace("TAG", tag)),
                status, tag);
        if (status == 200) {
            tag = tag(given("{\"completed_state\": {\"v\": 1}}"));
        }
        check(http.delete(state(id), header, value.replace("TAG", tag)), status == 200 ? 204 : 412, tag);
    }

    /** The answer; where the write was refused, one that shows that nothing has changed. */
    private Answer check(Answer answer, int status, String tag) {
        answer.expect(status);
        return status == 412 ? checkSame(http.get(state(id)).expect(200), tag) : answer;
    }

    private static Answer checkSame(Answer answer, String tag) {
        assertThat(tag(answer)).isEqualTo(tag);
        return answer;
    }

    @Test
    void linesOfTheSameHeaderAreOneList() {
        String tag = tag(given("{\"completed_state\": {\"v\": 1}}"));
        http.put(state(id), "{\"completed_state\": {\"v\": 2}}", "If-Match", "\"1\"", "If-Match", tag).expect(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"PUT||{}", "PUT||{\"completed_state\": {}, \"partial_state\": null}",
            "PATCH|&strategy=overwrite|{\"completed_state\": null}",
            "PATCH|&strategy=overwrite|{\"completed_state\": {}, \"partial_state\": {}}"})
    void whatLeavesNothingClearsIfThatIsMeant(String method, String more, String body) {
        String target = state(id) + "?allow_empty=true" + (more == null ? "" : more);
        byte[] bytes = body.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        http.send(method, target, bytes).expect(204);
        given("{\"completed_state\": {\"v\": 1}}");
        http.send(method, target, bytes, "If-Match", "\"1\"").expect(412);
        http.send(method, target, bytes).expect(204);
        http.get(state(id)).expect(404, "state-not-found");
        assertThat(http.get("/states?pattern=" + id).json().path("states")).isEmpty();
        given("{\"completed_state\": {\"v\": 1}}");
    }

    @Test
    void overwriteClearsAHalfAndKeepsTheOther() {
        given("{\"completed_state\": {\"v\": 1}, \"partial_state\": {\"w\": 2}}");
        Answer answer = http.patch(state(id) + "?strategy=overwrite", "{\"completed_state\": {}}").expect(200);
        assertThat(answer.text()).contains("\"completed_state\":null,\"partial_state\":{\"w\":2}");
        http.patch(state(id) + "?strategy=overwrite", "{\"partial_state\": null}").expect(422, "would-erase-state");
    }

    @Test
    void mergeBringsTheOthersDocumentAndLeavesIt() {
        http.put(state(id + "from"), "{\"completed_state\": {\"a\": 1, \"b\": 1}, \"partial_state\": {\"b\": 2}}")
                .expect(201);
        Answer fresh = http.post(state(id) + "/merge", "{\"from\": \"%s\"}".formatted(id + "from")).expect(200);
        assertThat(fresh.text()).contains("\"completed_state\":null,\"partial_state\":{\"a\":1,\"b\":2}");
        http.put(state(id), "{\"completed_state\": {\"c\": 1}, \"partial_state\": {\"a\": 0, \"d\": 1}}").expect(200);
        Answer merged = http.post(state(id) + "/merge", "{\"from\": \"%s\"}".formatted(id + "from")).expect(200);
        assertThat(merged.text()).contains("\"completed_state\":{\"c\":1},\"partial_state\":{\"a\":1,\"d\":1,\"b\":2}");
        assertThat(service.stored(id + "from")).isEqualTo("{\"b\":2}|{\"a\":1,\"b\":1}");
    }

    @Test
    void copyReplacesAndMoveTakesAway() {
        given("{\"completed_state\": {\"v\": 1}, \"partial_state\": {\"w\": 2}}");
        http.put(state(id + "to"), "{\"completed_state\": {\"old\": 1}}").expect(201);
        Answer copied = http.post(state(id) + "/copy", "{\"to\": \"%s\"}".formatted(id + "to")).expect(200);
        assertThat(copied.json().path("state_id").asString()).isEqualTo(id + "to");
        assertThat(service.stored(id + "to")).isEqualTo("{\"w\":2}|{\"v\":1}");
        http.post(state(id) + "/move", "{\"to\": \"%s\"}".formatted(id + "moved")).expect(200);
        http.get(state(id)).expect(404);
        assertThat(service.stored(id + "moved")).isEqualTo("{\"w\":2}|{\"v\":1}");
    }

    @Test
    void answersUnderALeaseSayHowManyWait() {
        String lease = http.post("/locks/" + id, "{\"owner\": \"a test\"}")
                .expect(201)
                .json()
                .path("lock_id")
                .asString();
        ContractClient holder = http.with("Lock-Token", lease);
        given423();
        assertThat(holder.put(state(id), "{\"completed_state\": {\"v\": 1}}").expect(201).header("Lock-Waiting"))
                .isEqualTo("0");
        holder.patch(state(id), "{\"partial_state\": {\"v\": 1}}").expect(200);
        holder.put(state(id), "{\"completed_state\": {\"v\": 1}}", "If-Match", "\"1\"").expect(412);
        holder.post(state(id) + "/copy", "{\"to\": \"%s\"}".formatted(id + "copy")).expect(200);
        holder.post(state(id) + "/merge", "{\"from\": \"%s\"}".formatted(id + "copy")).expect(200);
        holder.post("/import", "{\"%s\": {\"completed\": {\"v\": 2}}}".formatted(id)).expect(200);
        holder.delete("/states?dry_run=true&pattern=" + id).expect(200);
        holder.post(state(id) + "/move", "{\"to\": \"%s\"}".formatted(id + "moved")).expect(200);
        holder.put(state(id), "{\"completed_state\": {\"v\": 1}}").expect(201);
        http.delete("/states?pattern=" + id).expect(423, "locked");
        http.post("/import", "{\"%s\": {\"completed\": {\"v\": 3}}}".formatted(id)).expect(423, "locked");
        holder.delete("/states?pattern=" + id).expect(200);
        holder.delete(state(id)).expect(204);
        holder.delete("/locks/" + id).expect(204);
        holder.put(state(id), "{\"completed_state\": {\"v\": 1}}").expect(409, "lock-lost");
        holder.delete("/states?pattern=" + id).expect(409, "lock-lost");
    }

    private void given423() {
        http.put(state(id), "{\"completed_state\": {\"v\": 1}}").expect(423, "locked");
        http.patch(state(id), "{\"partial_state\": {\"v\": 1}}").expect(423, "locked");
        http.delete(state(id)).expect(423, "locked");
    }
}

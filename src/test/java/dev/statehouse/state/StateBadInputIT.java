package dev.statehouse.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** What cannot be taken gets its 4xx and code, is told what was wrong, and leaves nothing behind. */
class StateBadInputIT {

    private static final String GOOD = "{\"completed_state\": {\"v\": 2}}";

    private static final RunningService SERVICE = RunningService.shared();
    private static final String ID = RunningService.freshPrefix();
    private static long version;

    private final ContractClient http = SERVICE.client();
    private final String id = ID;

    @BeforeAll
    static void oneState() {
        version = SERVICE.client()
                .put("/states/" + ID, "{\"completed_state\": {\"v\": 1}}")
                .expect(201)
                .json()
                .path("version")
                .asLong();
    }

    /** Each call that was refused left the one state as it was, and no other. */
    @AfterEach
    void nothingElseIsThere() {
        JsonNode states = http.get("/states?pattern=*" + ID + "*").json().path("states");
        assertThat(states).hasSize(1);
        assertThat(states.path(0).path("version").asLong()).isEqualTo(version);
    }

    @AfterAll
    static void itIsStillWhatItWas() {
        assertThat(SERVICE.stored(ID)).isEqualTo("-|{\"v\":1}");
    }

    private static Arguments bad(String call, @Nullable String body, int status, String code, String told,
            String... headers) {
        return Arguments.of(call, body, status, code, told, List.of(headers));
    }

    static Stream<Arguments> bodies() {
        return Stream.of(
                bad("PUT /states/ID", "", 400, "not-json", "missing"),
                bad("PUT /states/ID", " ", 400, "not-json", ""),
                bad("PUT /states/ID", "{ not json", 400, "not-json", "line 1"),
                bad("PUT /states/ID", "{\"completed_state\": {'a': 1}}", 400, "not-json", ""),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": 01}}", 400, "not-json", ""),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": NaN}}", 400, "not-json", ""),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": Infinity}}", 400, "not-json", ""),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": +1}}", 400, "not-json", ""),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": \"\u0001\"}}", 400, "not-json", ""),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": 1,}}", 400, "not-json", ""),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": 1}} {}", 400, "not-json", ""),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": 1}", 400, "not-json", ""),
                bad("PUT /states/ID", "/**/ {\"completed_state\": {\"a\": 1}}", 400, "not-json", ""),
                bad("PUT /states/ID", "\ufeff" + GOOD, 400, "not-json", "byte order mark"),
                bad("PUT /states/ID", "[]", 422, "invalid-body", "object"),
                bad("PUT /states/ID", "null", 422, "invalid-body", "object"),
                bad("PUT /states/ID", "\"text\"", 422, "invalid-body", "object"),
                bad("PUT /states/ID", "1", 422, "invalid-body", "object"),
                bad("PATCH /states/ID", "[1]", 422, "invalid-body", "object"),
                bad("POST /states/ID/copy", "[1]", 422, "invalid-body", "object"),
                bad("POST /import", "[1]", 422, "invalid-body", "object"),
                bad("PUT /states/ID", "{\"completed_state\": \"{}\"}", 422, "not-an-object", "text in a string"),
                bad("PUT /states/ID", "{\"completed_state\": [1]}", 422, "not-an-object", "completed_state"),
                bad("PUT /states/ID", "{\"partial_state\": 5}", 422, "not-an-object", "partial_state"),
                bad("PUT /states/ID", "{\"partial_state\": true}", 422, "not-an-object", "partial_state"),
                bad("PUT /states/ID", "{\"completed\": {\"a\": 1}}", 422, "invalid-body", "completed_state"),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": 1}, \"more\": 1}", 422, "invalid-body", "more"),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": 1, \"a\": 2}}", 422, "duplicate-key", "'a'"),
                bad("PUT /states/ID", "{\"completed_state\": {\"x\": [{\"a\": 1, \"\\u0061\": 2}]}}", 422,
                        "duplicate-key", "/completed_state/x/0"),
                bad("PUT /states/ID", "{\"completed_state\": {\"a\": 1}, \"completed_state\": {\"a\": 1}}", 422,
                        "duplicate-key", "completed_state"),
                bad("PUT /states/ID", "{}", 422, "would-erase-state", "allow_empty"),
                bad("PUT /states/ID", "{\"completed_state\": null, \"partial_state\": {}}", 422, "would-erase-state",
                        "DELETE"),
                bad("PUT /states/NEW", "{}", 422, "empty-state", "completed_state"),
                bad("PATCH /states/ID", "{}", 422, "empty-state", ""),
                bad("PATCH /states/ID?allow_empty=true", "{\"partial_state\": {}}", 422, "empty-state", ""),
                bad("PATCH /states/ID?strategy=merge", "{\"completed_state\": null}", 422, "empty-state", ""),
                bad("PATCH /states/ID?strategy=overwrite", "{}", 422, "empty-state", ""),
                bad("PATCH /states/ID?strategy=overwrite&allow_empty=true", "{}", 422, "empty-state", ""),
                bad("PATCH /states/ID?strategy=overwrite", "{\"completed_state\": null}", 422, "would-erase-state",
                        "allow_empty"),
                bad("PUT /states/ID?validate=singer", "{\"completed_state\": {\"bookmarks\": {}}}", 422,
                        "not-singer-state", "singer_state"),
                bad("PUT /states/ID?validate=singer", "{\"completed_state\": {\"singer_state\": 1}}", 422,
                        "not-singer-state", "singer_state"),
                bad("PATCH /states/ID?validate=singer", "{\"partial_state\": {\"a\": {\"singer_state\": {}}}}", 422,
                        "not-singer-state", "partial_state"),
                bad("POST /states/ID/copy", "{}", 422, "invalid-body", "to"),
                bad("POST /states/ID/copy", "{\"to\": 5}", 422, "invalid-body", "to"),
                bad("POST /states/ID/copy", "{\"to\": null}", 422, "invalid-body", "to"),
                bad("POST /states/ID/copy", "{\"from\": \"x\"}", 422, "invalid-body", "from"),
                bad("POST /states/ID/copy", "{\"to\": \"x\", \"to\": \"y\"}", 422, "duplicate-key", "to"),
                bad("POST /states/ID/copy", "{\"to\": \"\"}", 422, "invalid-state-id", "to"),
                bad("POST /states/ID/copy", "{\"to\": \"..\"}", 422, "invalid-state-id", "to"),
                bad("POST /states/ID/copy", "{\"to\": \"a\\u0000\"}", 422, "invalid-state-id", "U+0000"),
                bad("POST /states/ID/copy", "{\"to\": \"a\\ud83d\"}", 422, "invalid-state-id", "surrogate"),
                bad("POST /states/ID/copy", "{\"to\": \"ID\"}", 422, "same-state", "ID"),
                bad("POST /states/ID/move", "{\"to\": \"ID\"}", 422, "same-state", "ID"),
                bad("POST /states/ID/merge", "{\"from\": \"ID\"}", 422, "same-state", "ID"),
                bad("POST /states/ID/merge", "{\"to\": \"x\"}", 422, "invalid-body", "from"),
                bad("POST /states/ID/merge", "{\"from\": \"NEW\"}", 404, "state-not-found", "NEW"),
                bad("POST /states/NEW/copy", "{\"to\": \"ID\"}", 404, "state-not-found", "NEW"),
                bad("POST /states/NEW/move", "{\"to\": \"ID\"}", 404, "state-not-found", "NEW"));
    }

    static Stream<Arguments> parameters() {
        return Stream.of(
                bad("PATCH /states/ID?stategy=merge", GOOD, 400, "unknown-parameter", "stategy"),
                bad("PATCH /states/ID?strategy=deep", GOOD, 400, "invalid-parameter", "overwrite"),
                bad("PATCH /states/ID?strategy=MERGE", GOOD, 400, "invalid-parameter", "merge"),
                bad("PATCH /states/ID?strategy=", GOOD, 400, "invalid-parameter", "strategy"),
                bad("PATCH /states/ID?strategy=merge&strategy=update", GOOD, 400, "invalid-parameter", "twice"),
                bad("PUT /states/ID?strategy=merge", GOOD, 400, "unknown-parameter", "strategy"),
                bad("PUT /states/ID?allow_empty=yes", GOOD, 400, "invalid-parameter", "allow_empty"),
                bad("PUT /states/ID?allow_empty", GOOD, 400, "invalid-parameter", "allow_empty"),
                bad("PUT /states/ID?validate=avro", GOOD, 400, "invalid-parameter", "singer"),
                bad("PUT /states/ID?%zz=1", GOOD, 400, "invalid-parameter", "%zz"),
                bad("DELETE /states/ID?force=true", null, 400, "unknown-parameter", "force"),
                bad("POST /states/ID/copy?overwrite=1", "{\"to\": \"NEW\"}", 400, "unknown-parameter", "overwrite"),
                bad("DELETE /states", null, 400, "invalid-parameter", "pattern"),
                bad("DELETE /states?pattern=", null, 400, "invalid-parameter", "pattern"),
                bad("DELETE /states?pattern", null, 400, "invalid-parameter", "pattern"),
                bad("DELETE /states?pattern=ID&dry_run=1", null, 400, "invalid-parameter", "dry_run"),
                bad("DELETE /states?pattern=ID&dryrun=true", null, 400, "unknown-parameter", "dryrun"),
                bad("DELETE /states", "pattern=ID", 400, "invalid-parameter", "pattern", "Content-Type",
                        "application/x-www-form-urlencoded"),
                bad("POST /import?allow_empty=1", "{\"NEW\": {\"completed\": {\"a\": 1}}}", 400, "invalid-parameter",
                        "allow_empty"),
                bad("POST /import?pattern=*", "{\"NEW\": {\"completed\": {\"a\": 1}}}", 400, "unknown-parameter",
                        "pattern"));
    }

    static Stream<Arguments> headers() {
        return Stream.of(
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "If-Match", "If-Match", "1764450000000"),
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "If-Match", "If-Match", ""),
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "If-Match", "If-Match", "\"1\" \"2\""),
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "If-Match", "If-Match", "\"1\", *"),
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "If-Match", "If-Match", "\"1"),
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "If-Match", "If-Match", "w/\"1\""),
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "If-None-Match", "If-None-Match", "**"),
                bad("DELETE /states/ID", null, 400, "invalid-header", "If-Match", "If-Match", "x"),
                bad("PUT /states/ID", GOOD, 412, "version-mismatch", "version", "If-Match", "\"1\""),
                bad("PUT /states/ID", GOOD, 412, "version-mismatch", "version", "If-Match", "\"1\", \"2\""),
                bad("PUT /states/ID", GOOD, 412, "version-mismatch", "version", "If-None-Match", "*"),
                bad("PUT /states/NEW", GOOD, 412, "version-mismatch", "no state", "If-Match", "*"),
                bad("PUT /states/NEW", GOOD, 412, "version-mismatch", "no state", "If-Match", "\"0\""),
                bad("DELETE /states/NEW", null, 412, "version-mismatch", "no state", "If-Match", "*"),
                bad("POST /states/ID/copy", "{\"to\": \"NEW\"}", 412, "version-mismatch", "ID", "If-Match", "\"1\""),
                bad("POST /states/ID/move", "{\"to\": \"NEW\"}", 412, "version-mismatch", "ID", "If-None-Match", "*"),
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "Lock-Token", "Lock-Token",
                        "secret-that-is-no-uuid"),
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "Lock-Token", "Lock-Token", ""),
                bad("PUT /states/ID", GOOD, 400, "invalid-header", "Lock-Token", "Lock-Token", " , "),
                bad("DELETE /states?pattern=ID", null, 400, "invalid-header", "Lock-Token", "Lock-Token", "<>"),
                bad("PUT /states/ID", GOOD, 409, "lock-lost", "ended", "Lock-Token",
                        "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11"),
                bad("DELETE /states?pattern=ID", null, 409, "lock-lost", "ended", "Lock-Token",
                        "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11"),
                bad("POST /import", "{\"NEW\": {\"completed\": {\"a\": 1}}}", 409, "lock-lost", "ended", "Lock-Token",
                        "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11"),
                bad("PUT /states/ID", GOOD, 415, "unsupported-media-type", "application/json", "Content-Type",
                        "text/plain"),
                bad("PUT /states/ID", GOOD, 415, "unsupported-media-type", "", "Content-Type", "no type at all"),
                bad("PUT /states/ID", GOOD, 415, "unsupported-media-type", "", "Content-Type",
                        "multipart/form-data; boundary=x"),
                bad("POST /import", GOOD, 415, "unsupported-media-type", "", "Content-Type",
                        "application/x-www-form-urlencoded"),
                bad("POST /states/ID/copy", GOOD, 415, "unsupported-media-type", "", "Content-Type", "application/xml"),
                bad("PUT /states/ID", GOOD, 406, "not-acceptable", "application/json", "Accept", "text/html"),
                bad("DELETE /states/ID", null, 406, "not-acceptable", "", "Accept", "text/csv"),
                bad("POST /import", "{\"NEW\": {\"completed\": {\"a\": 1}}}", 406, "not-acceptable", "", "Accept",
                        "text/html"),
                bad("PUT /states/ID", GOOD, 406, "not-acceptable", "", "Accept", "not a type"),
                bad("POST /states/ID", GOOD, 405, "method-not-allowed", "POST"),
                bad("PUT /states", GOOD, 405, "method-not-allowed", "PUT"),
                bad("GET /states/ID/copy", null, 405, "method-not-allowed", "POST"),
                bad("DELETE /import", null, 405, "method-not-allowed", "POST"),
                bad("POST /export", GOOD, 405, "method-not-allowed", "GET"),
                bad("GET /states/ID/history", null, 404, "not-found", ""),
                bad("GET /state/ID", null, 404, "not-found", ""),
                bad("POST /states/ID/", GOOD, 404, "not-found", ""),
                bad("DELETE /STATES/ID", null, 404, "not-found", ""));
    }

    static Stream<Arguments> imports() {
        return Stream.of(
                bad("POST /import", "", 400, "not-json", ""),
                bad("POST /import", "{\"NEW\": {\"completed\": {\"a\": 1}}, \"NEW\": {}}", 422, "duplicate-key", "NEW"),
                bad("POST /import", "{\"NEW\": {\"completed\": {\"a\": 1}}, \"OTHER\": {}}", 422, "invalid-import",
                        "OTHER"),
                bad("POST /import", "{\"NEW\": {\"completed\": {\"a\": 1}}, \"OTHER\": null}", 422, "invalid-import",
                        "OTHER"),
                bad("POST /import", "{\"NEW\": {\"completed\": {\"a\": 1}}, \"OTHER\": {\"completed\": \"{}\"}}", 422,
                        "invalid-import", "OTHER"),
                bad("POST /import",
                        "{\"NEW\": {\"completed\": {\"a\": 1}}, \"OTHER\": {\"completed_state\": {\"a\": 1}}}",
                        422, "invalid-import", "OTHER"),
                bad("POST /import", "{\"NEW\": {\"completed\": {\"a\": 1}}, \"\": {\"completed\": {\"a\": 1}}}", 422,
                        "invalid-import", "empty"),
                bad("POST /import", "{\"NEW\": {\"completed\": {\"a\": 1}}, \"a\\ud83d\": {\"completed\": {\"a\": 1}}}",
                        422,
                        "invalid-import", "surrogate"),
                bad("POST /import",
                        "{\"NEW\": {\"completed\": {\"a\": 1}}, \"a\\u0000b\": {\"completed\": {\"a\": 1}}}", 422,
                        "invalid-import", "U+0000"),
                bad("POST /import?validate=singer", "{\"NEW\": {\"completed\": {\"a\": 1}}}", 422, "invalid-import",
                        "singer_state"));
    }

    @ParameterizedTest
    @MethodSource({"bodies", "parameters", "headers", "imports"})
    void isRefusedAndNothingIsStored(String call, @Nullable String body, int status, String code, String told,
            List<String> headers) {
        String[] parts = named(call).split(" ", 2);
        byte[] bytes = body == null ? null : named(body).getBytes(StandardCharsets.UTF_8);
        Answer answer = http.send(parts[0], parts[1], bytes, headers.toArray(String[]::new)).expect(status, code);
        assertThat(answer.json().path("detail").asString()).contains(named(told)).doesNotContain("secret");
    }

    private String named(String text) {
        return text.replace("OTHER", id + "other").replace("NEW", id + "new").replace("ID", id);
    }

    @Test
    void bytesThatAreNotUtf8() {
        for (byte[] bytes : List.of(new byte[]{(byte) 0xFF}, new byte[]{(byte) 0xC0, (byte) 0xAF},
                new byte[]{(byte) 0xED, (byte) 0xA0, (byte) 0x80}, new byte[]{(byte) 0xE9})) {
            byte[] start = "{\"completed_state\": {\"a\": \"".getBytes(StandardCharsets.UTF_8);
            byte[] all = Arrays.copyOf(start, start.length + bytes.length + 3);
            System.arraycopy(bytes, 0, all, start.length, bytes.length);
            System.arraycopy("\"}}".getBytes(StandardCharsets.UTF_8), 0, all, all.length - 3, 3);
            assertThat(http.send("PUT", "/states/" + id, all).expect(400, "not-json").text()).contains("UTF-8");
        }
        http.send("PUT", "/states/" + id, GOOD.getBytes(StandardCharsets.UTF_16LE)).expect(400, "not-json");
        http.send("PUT", "/states/" + id, "{\"completed_state\": {\"a\": \"\u00e9\"}}".getBytes(
                StandardCharsets.ISO_8859_1), "Content-Type", "application/json; charset=iso-8859-1")
                .expect(400,
                        "not-json");
    }

    @Test
    void patchSaysWhatItTakes() {
        Answer answer = http.patch("/states/" + id, GOOD, "Content-Type", "application/merge-patch+json")
                .expect(415,
                        "unsupported-media-type");
        assertThat(answer.header("Accept-Patch")).isEqualTo("application/json");
    }

    @Test
    void everyBadEntryOfAnImportIsNamed() {
        Answer answer = http
                .post("/import",
                        named("""
                                {"NEW1": {"completed": {"a": 1}}, "NEW2": {"completed": 5}, "NEW3": {}, "NEW4": {"x": {}}, "..": {"partial": {"a": 1}}}
                                """))
                .expect(422, "invalid-import");
        assertThat(answer.json().path("errors").valueStream().map(e -> e.path("at").asString()))
                .containsExactly(id + "new2", id + "new3", id + "new4", "..");
    }
}

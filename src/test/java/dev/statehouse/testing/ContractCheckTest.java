package dev.statehouse.testing;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

/** The judge must be able to say no: each kind of fault is found, and named with its call and status. */
class ContractCheckTest {

    private static final String RECORD = """
            {"state_id": "a/b", "version": 1, "updated_at": "2026-11-01T10:30:33.614Z",
             "completed_state": {"v": 1.10}, "partial_state": null}""";
    private static final Map<String, String> HEADERS = Map.of("Content-Type", "application/json", "ETag", "\"1\"",
            "Cache-Control", "no-cache");

    private static Answer answer(String method, String target, int status, Map<String, String> headers, String body) {
        return answer(method, target, Map.of(), status, headers, body);
    }

    private static Answer answer(String method, String target, Map<String, List<String>> asked, int status,
            Map<String, String> headers, String body) {
        Map<String, List<String>> lists = new HashMap<>();
        headers.forEach((name, value) -> lists.put(name, List.of(value)));
        return new Answer(method, target, asked, status, lists, body.getBytes(StandardCharsets.UTF_8));
    }

    private static void good(Answer answer) {
        assertThatCode(() -> new ContractCheck().check(answer)).doesNotThrowAnyException();
    }

    private static void bad(Answer answer, String... words) {
        assertThatThrownBy(() -> new ContractCheck().check(answer)).isInstanceOf(AssertionError.class)
                .message()
                .contains(answer.method() + " " + answer.target(), "-> " + answer.status())
                .contains(words);
    }

    private static Map<String, String> with(String name, String value) {
        Map<String, String> headers = new HashMap<>(HEADERS);
        headers.put(name, value);
        return headers;
    }

    private static Map<String, String> without(String name) {
        Map<String, String> headers = new HashMap<>(HEADERS);
        headers.remove(name);
        return headers;
    }

    private static String problem(String code, int status) {
        return """
                {"type": "urn:statehouse:problem:%s", "title": "t", "status": %d, "detail": "d", "code": "%s"}"""
                .formatted(code, status, code);
    }

    private static final Map<String, String> PROBLEM = Map.of("Content-Type", "application/problem+json");

    @Test
    void takesWhatTheContractPromises() {
        good(answer("GET", "/states/a%2Fb", 200, HEADERS, RECORD));
        good(answer("GET", "/states/a%2Fb?view=merged", 200, HEADERS, "{\"v\": 1E400}"));
        good(answer("HEAD", "/states/a;b", 200, HEADERS, ""));
        good(answer("HEAD", "/export", 200, HEADERS, ""));
        good(answer("DELETE", "/states/%2E%2E", 422, PROBLEM, problem("invalid-state-id", 422)));
        good(answer("GET", "/states/a%zz", 400, PROBLEM, problem("invalid-path", 400)));
        good(answer("GET", "/nowhere", 404, PROBLEM, problem("not-found", 404)));
    }

    @Test
    void refusesAStatusThatIsNotDeclared() {
        bad(answer("PUT", "/states/a", 418, HEADERS, "{}"), "putState", "no such status");
        bad(answer("GET", "/nowhere", 200, HEADERS, "{}"), "no call of the contract");
    }

    @Test
    void refusesHeadersThatAreMissingOrWrong() {
        bad(answer("GET", "/states/a", 200, without("ETag"), RECORD), "ETag is missing");
        bad(answer("GET", "/states/a", 200, with("ETag", "1"), RECORD), "ETag is '1'");
        bad(answer("GET", "/states/a", 200, with("Cache-Control", "max-age=60"), RECORD), "Cache-Control");
        bad(answer("GET", "/states/a", 503, PROBLEM, problem("overloaded", 503)), "Retry-After is missing");
        bad(answer("POST", "/states/a", 405, PROBLEM, problem("method-not-allowed", 405)), "Allow is missing");
    }

    @Test
    void refusesAnotherContentTypeOrABodyWhereNoneBelongs() {
        bad(answer("GET", "/states/a", 404, Map.of("Content-Type", "text/html"), "<html>"), "text/html");
        bad(answer("GET", "/states/a", 200, without("Content-Type"), RECORD), "the content type is ''");
        bad(answer("DELETE", "/states/a", 204, HEADERS, "gone"), "should be none");
        bad(answer("HEAD", "/states/a", 200, HEADERS, RECORD), "should be none");
    }

    @Test
    void refusesABodyThatIsNotAsTheSchemaSays() {
        bad(answer("GET", "/states/a", 200, HEADERS, "{}"), "state_id");
        bad(answer("GET", "/states/a", 200, HEADERS, RECORD.replace("\"version\": 1", "\"version\": 1, \"x\": 1")),
                "x");
        bad(answer("GET", "/states/a", 200, HEADERS, RECORD.replace(".614Z", "Z")), "/updated_at");
        bad(answer("GET", "/states/a", 200, HEADERS, RECORD.replace("null", "{}")), "/partial_state");
        bad(answer("GET", "/states/a", 200, HEADERS, "{not json"), "not JSON");
        bad(answer("GET", "/states/a", 200, HEADERS, RECORD.replace("\"v\": 1.10", "\"v\": 1, \"v\": 2")), "not JSON");
        bad(answer("GET", "/states?include=documents", 200, HEADERS, """
                {"states": [{"state_id": "a", "version": 1, "updated_at": "2026-11-01T10:30:33.614Z",
                "has_completed": true, "has_partial": false, "size_bytes": 1, "readable": true}], "next": null}"""),
                "completed_state");
        String entry = """
                {"states": [{"state_id": "a", "version": 1, "updated_at": "2026-11-01T10:30:33.614Z",
                "has_completed": true, "has_partial": false, "size_bytes": 1, "readable": true,
                "completed_state": {"v": 1}, "partial_state": null}], "next": null}""";
        good(answer("GET", "/states?include=documents", 200, HEADERS, entry));
        bad(answer("GET", "/states", 200, HEADERS, entry), "completed_state");
        bad(answer("GET", "/states/a?view=record", 200, HEADERS, "{\"v\": 1}"), "state_id");
    }

    @Test
    void refusesAProblemThatIsNotDeclaredOrContradictsItself() {
        bad(answer("GET", "/states/a", 404, PROBLEM, problem("not-found", 404)), "/code");
        bad(answer("GET", "/states/a", 404, PROBLEM, problem("state-not-found", 410)), "says status 410");
        bad(answer("PUT", "/states/a", 423, PROBLEM, problem("locked", 423)), "waiting");
        bad(answer("GET", "/states/a", 404, PROBLEM,
                problem("state-not-found", 404).replace("problem:state-not-found", "problem:gone")), "the type is");
    }
}

package dev.statehouse.web;

import static dev.statehouse.testing.ContractClient.lock;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import dev.statehouse.problem.ProblemCode;
import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.FragileService;
import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.SecuredService;
import dev.statehouse.testing.TestClickHouse;
import dev.statehouse.testing.TestIssuer;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Every code there is comes out of the running service, and no answer shows the inside of it. */
@ResourceLock(FragileService.LOCK)
class ProblemCodesIT {

    private static final String LEASE = "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11";

    private final ContractClient http = RunningService.shared().client();
    private final String id = RunningService.freshPrefix();

    @ParameterizedTest
    @EnumSource
    void isAnswered(ProblemCode code) throws Exception {
        Answer answer = provoke(code);
        assertThat(answer.code()).isEqualTo(code.code());
        assertThat(answer.status()).isEqualTo(ProblemStatus.of(code));
        assertThat(answer.json().path("title").asString()).isNotBlank();
        assertThat(answer.json().path("detail").asString()).matches("(?s)[^ ].*[.]");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.text().toLowerCase(java.util.Locale.ROOT)).doesNotContain("exception", "java.", "\tat ",
                "sql",
                "jdbc", "code:", "hikari", "127.0.0.1", "`");
    }

    private Answer provoke(ProblemCode code) throws Exception {
        String good = "{\"completed_state\": {\"v\": 1}}";
        return switch (code) {
            case BAD_REQUEST -> http.raw("GET /states HTTP/1.1\r\nConnection: close\r\n\r\n");
            case INVALID_PATH -> http.get("/states/%zz");
            case INVALID_PARAMETER -> http.get("/states?limit=0");
            case UNKNOWN_PARAMETER -> http.get("/states?page=1");
            case INVALID_HEADER -> http.get(state(id), "If-None-Match", "x");
            case NOT_JSON -> http.put(state(id), "{");
            case NOT_FOUND -> http.get("/nothing");
            case UNAUTHENTICATED -> SecuredService.shared().stranger().get(state(id));
            case INVALID_TOKEN -> SecuredService.shared().bearing("nobody-knows-me").get(state(id));
            case TOKEN_EXPIRED -> SecuredService.shared().as("old").get(state(id));
            case FORBIDDEN -> SecuredService.shared().as("viewer").put(state("dev:" + id), good);
            case ISSUER_UNAVAILABLE -> withoutTheKeys();
            case STATE_NOT_FOUND -> http.get(state(id));
            case NOT_LOCKED -> http.get(lock(id));
            case METHOD_NOT_ALLOWED -> http.post(state(id), "{}");
            case NOT_ACCEPTABLE -> http.get(state(id), "Accept", "text/html");
            case UNSUPPORTED_MEDIA_TYPE -> http.put(state(id), good, "Content-Type", "text/plain");
            case LOCK_LOST -> http.put(state(id), good, "Lock-Token", LEASE);
            case FENCING_TOKEN_MISMATCH -> {
                http.post(lock(id), "{\"owner\": \"a test\"}").expect(201);
                yield http.delete(lock(id) + "?force=true&fencing_token=1");
            }
            case STORED_STATE_UNREADABLE -> {
                RunningService.shared().insert(id, null, "NaN");
                Answer answer = http.get(state(id));
                http.delete(state(id)).expect(204);
                yield answer;
            }
            case VERSION_MISMATCH -> http.put(state(id), good, "If-Match", "*");
            case TOO_LARGE ->
                http.raw("PUT %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 99999999\r\n\r\n"
                        .formatted(state(id)));
            case REQUEST_TIMEOUT -> withoutABody();
            case HEADERS_TOO_LARGE -> http.get("/states", "X", "y".repeat(20_000));
            case INVALID_STATE_ID -> http.get("/states/..");
            case INVALID_BODY -> http.put(state(id), "[]");
            case NOT_AN_OBJECT -> http.put(state(id), "{\"completed_state\": []}");
            case DUPLICATE_KEY -> http.put(state(id), "{\"completed_state\": {\"a\": 1, \"a\": 1}}");
            case JSON_LIMIT -> http.put(state(id), "{\"completed_state\": {\"a\": %s}}".formatted("1".repeat(2000)));
            case NOT_SINGER_STATE -> http.put(state(id) + "?validate=singer", good);
            case EMPTY_STATE -> http.put(state(id), "{}");
            case WOULD_ERASE_STATE -> {
                http.put(state(id), good).expect(201);
                yield http.put(state(id), "{}");
            }
            case SAME_STATE -> http.post(state(id) + "/copy", "{\"to\": \"%s\"}".formatted(id));
            case INVALID_IMPORT -> http.post("/import", "{\"%s\": {}}".formatted(id));
            case LOCKED -> {
                http.post(lock(id), "{\"owner\": \"a test\"}").expect(201);
                yield http.put(state(id), good);
            }
            case CLICKHOUSE_UNAVAILABLE -> {
                FragileService fragile = FragileService.shared();
                fragile.way().cut();
                yield fragile.service().client().get(state(id));
            }
            case WRITE_UNCONFIRMED -> {
                FragileService fragile = FragileService.shared();
                fragile.way().cutAt("(state_id, partial_state, completed_state, updated_at)");
                yield fragile.service().client().put(state(id), good);
            }
            case OVERLOADED -> overloaded(FragileService.shared());
            case INTERNAL_ERROR -> broken(FragileService.shared().service());
        };
    }

    /** Eight ask at once of a service that asks ClickHouse one thing at a time and lets two wait. */
    private Answer overloaded(FragileService fragile) throws Exception {
        fragile.way().stall();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Answer>> answers = IntStream.range(0, 8)
                    .mapToObj(i -> threads.submit(() -> fragile.service().client().get(state(id)).expect(503)))
                    .toList();
            Answer overloaded = answers.getFirst().get();
            for (Future<Answer> answer : answers) {
                overloaded = answer.get().code().equals("overloaded") ? answer.get() : overloaded;
            }
            return overloaded;
        } finally {
            fragile.way().restore();
        }
    }

    /** At a service that has never seen the keys of its issuer. */
    private Answer withoutTheKeys() {
        TestClickHouse clickHouse = TestClickHouse.shared();
        try (RunningService service = RunningService.start(clickHouse.uri("default"),
                RunningService.shared().table().split("`", -1)[1], "--statehouse.auth.jwt.issuer=" + TestIssuer.NAME,
                "--statehouse.auth.jwt.audiences=statehouse", "--statehouse.auth.jwt.jwks-file=/nowhere")) {
            String token = new TestIssuer().token("somebody", Map.of());
            return service.client().get(state(id), "Authorization", "Bearer " + token);
        }
    }

    private Answer withoutABody() {
        try (RunningService service = RunningService.start(TestClickHouse.shared().uri("default"),
                RunningService.shared().table().split("`", -1)[1], "--server.tomcat.connection-timeout=500ms")) {
            return service.client()
                    .raw("PUT %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
                            .formatted(state(id)));
        }
    }

    /** A call with a fault. */
    static final class Broken {

        @ResponseBody
        String fail() {
            throw new IllegalStateException("java.secret: the inside of the service");
        }
    }

    private static Answer broken(RunningService service) throws Exception {
        var mapping = service.context().getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class);
        var path = RequestMappingInfo.paths("/broken").options(mapping.getBuilderConfiguration()).build();
        mapping.registerMapping(path, new Broken(), Broken.class.getDeclaredMethod("fail"));
        try {
            return service.client().get("/broken");
        } finally {
            mapping.unregisterMapping(path);
        }
    }
}

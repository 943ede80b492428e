package dev.statehouse.web;

import static dev.statehouse.testing.ContractClient.lock;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.FragileService;
import dev.statehouse.testing.PrivateEngine;
import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.SwitchedPort;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Without ClickHouse every call says so, the service stays alive, and goes on by itself once it is back. */
@ResourceLock(FragileService.LOCK)
class WithoutClickHouseIT {

    private static final String LEASE = "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11";

    private final String id = RunningService.freshPrefix();

    private Map<String, Callable<Answer>> calls(ContractClient http) {
        Map<String, Callable<Answer>> calls = new LinkedHashMap<>();
        String good = "{\"completed_state\": {\"v\": 2}}";
        String to = "{\"to\": \"%s\"}".formatted(id + "to");
        calls.put("get", () -> http.get(state(id)));
        calls.put("merged", () -> http.get(state(id) + "?view=merged"));
        calls.put("head", () -> http.head(state(id)));
        calls.put("put", () -> http.put(state(id), good));
        calls.put("patch", () -> http.patch(state(id + "p"), good));
        calls.put("delete", () -> http.delete(state(id + "d")));
        calls.put("copy", () -> http.post(state(id) + "/copy", to));
        calls.put("move", () -> http.post(state(id) + "/move", to));
        calls.put("merge", () -> http.post(state(id) + "/merge", "{\"from\": \"%s\"}".formatted(id + "from")));
        calls.put("list", () -> http.get("/states"));
        calls.put("documents", () -> http.get("/states?include=documents"));
        calls.put("clear", () -> http.delete("/states?pattern=" + id + "*"));
        calls.put("count", () -> http.delete("/states?dry_run=true&pattern=" + id + "*"));
        calls.put("export", () -> http.get("/export"));
        calls.put("import", () -> http.post("/import", "{\"%s\": {\"completed\": {\"v\": 3}}}".formatted(id + "i")));
        calls.put("acquire", () -> http.post(lock(id), "{\"owner\": \"a test\"}"));
        calls.put("renew", () -> http.put(lock(id), "{}", "Lock-Token", LEASE));
        calls.put("release", () -> http.delete(lock(id), "Lock-Token", LEASE));
        calls.put("break", () -> http.delete(lock(id) + "?force=true&fencing_token=1"));
        calls.put("lock", () -> http.get(lock(id)));
        calls.put("locks", () -> http.get("/locks"));
        return calls;
    }

    @Test
    void everyCallSaysSoAndAllGoOnAfterwards() throws Exception {
        FragileService fragile = FragileService.shared();
        ContractClient http = fragile.service().client();
        http.put(state(id), "{\"completed_state\": {\"v\": 1}}").expect(201);
        fragile.way().cut();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Map<String, Future<Answer>> answers = new LinkedHashMap<>();
            calls(http).forEach((name, call) -> answers.put(name, threads.submit(call)));
            assertThat(http.get("/actuator/health/liveness").expect(200).json().path("status").asString())
                    .isEqualTo("UP");
            innards(http.get("/actuator/health/readiness").expect(503));
            for (Map.Entry<String, Future<Answer>> answer : answers.entrySet()) {
                Answer got = answer.getValue().get();
                assertThat(got.status()).as(answer.getKey() + got.text()).isEqualTo(503);
                assertThat(got.header("Retry-After")).as(answer.getKey()).matches("[1-9][0-9]*");
                innards(got);
            }
        }
        fragile.way().restore();
        fragile.service().awaitReady();
        assertThat(http.get(state(id) + "?view=merged").expect(200).text()).isEqualTo("{\"v\":1}");
        http.put(state(id), "{\"completed_state\": {\"v\": 4}}").expect(200);
        assertThat(http.get("/states?pattern=" + id + "*").json().path("states")).hasSize(1);
    }

    private static void innards(Answer answer) {
        assertThat(answer.text().toLowerCase(Locale.ROOT)).doesNotContain("exception", "java.", "\tat ", "jdbc",
                "hikari",
                "connect", "refused", "127.0.0.1", TestClickHouse.shared().password(), "select");
    }

    @Test
    void aServiceThatStartsBeforeClickHouseGetsReady() {
        TestClickHouse clickHouse = TestClickHouse.shared();
        String schema = clickHouse.freshName();
        try (SwitchedPort way = new SwitchedPort(clickHouse.host(), clickHouse.port(), true);
                RunningService service = FragileService.start(way, schema)) {
            ContractClient http = service.client();
            http.get("/actuator/health/liveness").expect(200);
            http.get("/actuator/health/readiness").expect(503);
            http.get(state(id)).expect(503, "clickhouse-unavailable");
            http.get("/openapi.yaml").expect(200);
            way.restore();
            service.awaitReady();
            http.put(state(id), "{\"completed_state\": {\"v\": 1}}").expect(201);
        } finally {
            clickHouse.dropDatabase(schema);
        }
    }

    @Test
    void anEngineThatIsKilledComesBackWithEverythingThatWasAcknowledged(@TempDir Path folder) throws Exception {
        try (PrivateEngine engine = PrivateEngine.start(folder.resolve("data"));
                RunningService service = RunningService.start(engine.uri("default"), "meltano")) {
            ContractClient http = service.client();
            http.put(state(id), "{\"completed_state\": {\"v\": 1}}").expect(201);
            engine.kill();
            Answer answer = http.get(state(id));
            while (answer.status() != 200) {
                answer.expect(503, "clickhouse-unavailable");
                answer = http.get(state(id));
            }
            assertThat(answer.text()).contains("{\"v\":1}");
            service.awaitReady();
            http.put(state(id), "{\"completed_state\": {\"v\": 2}}").expect(200);
        }
    }
}

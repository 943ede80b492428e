package dev.statehouse.clickhouse;

import static dev.statehouse.testing.ContractClient.lock;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import dev.statehouse.embedded.EngineUser;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rights that the README names are enough for the whole service, with tables to be made and with tables that are there. */
class LeastGrantsIT {

    private static EngineUser user(String name, String... grants) {
        return new EngineUser(name, "p", List.of(grants));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ledger", "settle"})
    void areEnoughForEveryCall(String strategy) {
        String schema = TestClickHouse.shared().freshName();
        List<String> making = new ArrayList<>(List.of("GRANT CREATE DATABASE, CREATE TABLE, SELECT, INSERT ON " + schema
                + ".*", "GRANT TABLE ENGINE ON MergeTree", "GRANT TABLE ENGINE ON ReplacingMergeTree"));
        List<String> using = new ArrayList<>(List.of("GRANT SELECT, INSERT ON " + schema + ".state",
                "GRANT SELECT, INSERT ON " + schema + ".state_ledger"));
        if (strategy.equals("settle")) {
            making.add("GRANT ALTER DELETE ON " + schema + ".state_lock");
            using.add("GRANT SELECT, INSERT, ALTER DELETE ON " + schema + ".state_lock");
        }
        EngineUser maker = user("maker_" + strategy, making.toArray(String[]::new));
        EngineUser user = user("user_" + strategy, using.toArray(String[]::new));
        try (TestClickHouse server = TestClickHouse.withUsers(maker, user)) {
            for (EngineUser each : List.of(maker, user)) {
                String uri = "clickhouse://%s:%s@%s:%d/default%s".formatted(each.name(), each.password(), server.host(),
                        server.port(), server.secure() ? "?secure=true" : "");
                try (RunningService service = RunningService.start(uri, schema,
                        "--statehouse.lock.strategy=" + strategy,
                        "--statehouse.lock.settle=100ms")) {
                    assertEveryCallWorks(service.client());
                }
            }
            server.query("DROP DATABASE " + schema + " SYNC");
        }
    }

    private static void assertEveryCallWorks(ContractClient http) {
        String lockId = UUID.randomUUID().toString();
        String lease = "{\"owner\": \"a test\", \"lock_id\": \"%s\"}".formatted(lockId);
        http.get("/actuator/health/readiness").expect(200);
        http.put(state("a"), "{\"completed_state\": {\"v\": 1}}").expect(201);
        http.patch(state("a"), "{\"partial_state\": {\"v\": 2}}").expect(200);
        http.get(state("a")).expect(200);
        http.post(state("a") + "/copy", "{\"to\": \"b\"}").expect(200);
        http.post(state("b") + "/move", "{\"to\": \"c\"}").expect(200);
        http.post(state("a") + "/merge", "{\"from\": \"c\"}").expect(200);
        assertThat(http.get("/states").expect(200).json().path("states")).hasSize(2);
        http.get("/states?include=documents").expect(200);
        http.post("/import", http.get("/export").expect(200).text()).expect(200);
        http.post(lock("a"), lease).expect(201);
        http.put(lock("a"), "{}", "Lock-Token", lockId).expect(200);
        assertThat(http.get("/locks").expect(200).json().path("locks")).hasSize(1);
        http.put(state("a"), "{\"completed_state\": {\"v\": 3}}").expect(423);
        http.put(state("a"), "{\"completed_state\": {\"v\": 3}}", "Lock-Token", lockId).expect(200);
        http.delete(lock("a"), "Lock-Token", lockId).expect(204);
        long token = http.post(lock("a"), "{\"owner\": \"a test\"}").expect(201).json().path("fencing_token").asLong();
        http.delete(lock("a") + "?force=true&fencing_token=" + token).expect(204);
        assertThat(http.delete("/states?pattern=*").expect(200).json().path("deleted").asInt()).isEqualTo(2);
    }
}

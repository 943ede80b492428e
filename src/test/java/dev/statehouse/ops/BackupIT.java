package dev.statehouse.ops;

import static dev.statehouse.testing.ContractClient.lock;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A backup and a restore by the very statements of the operators' page. */
@Execution(ExecutionMode.CONCURRENT)
class BackupIT {

    private static final String NAME = "states-2026-11-30";

    private final TestClickHouse server = TestClickHouse.shared();
    private final String schema = server.freshName();
    private final String lockId = UUID.randomUUID().toString();

    /** What a caller has seen before the restore. */
    private record Before(String kept, long lastVersion, long token, String deletedLater) {}

    @Test
    void statesSurviveLocksAreFreeAndAllNumbersGrow() throws IOException {
        List<String> sql = Documented.sql("docs/operations.md", schema)
                .stream()
                .map(each -> each.replace(NAME, schema))
                .toList();
        assertThat(sql).hasSize(3);
        Before before;
        try (RunningService service = RunningService.start(server.uri("default"), schema)) {
            before = work(service.client(), () -> server.query(sql.get(0)));
        }
        server.query(sql.get(1));
        server.query(sql.get(2));
        try (RunningService service = RunningService.start(server.uri("default"), schema)) {
            check(service.client(), before);
        }
        assertThat(server.query("SELECT count() > 2 FROM " + schema + ".state_ledger_before")).isEqualTo("1");
        server.dropDatabase(schema);
    }

    /** Some of it before the backup, some after it, and a lock that is held all the time. */
    private Before work(ContractClient http, Runnable backup) {
        http.put(state("kept"), "{\"completed_state\": {\"v\": 1.10}, \"partial_state\": {\"p\": \"ü\"}}").expect(201);
        http.put(state("deleted later"), "{\"completed_state\": {\"v\": 2}}").expect(201);
        http.put(state("changed later"), "{\"completed_state\": {\"v\": 3}}").expect(201);
        http.post(lock("held"), "{\"owner\": \"a run\", \"ttl_seconds\": 3600, \"lock_id\": \"" + lockId + "\"}")
                .expect(201);
        http.put(state("held"), "{\"completed_state\": {\"v\": 4}}", "Lock-Token", lockId).expect(201);
        String kept = http.get(state("kept")).expect(200).text();
        String deletedLater = http.get(state("deleted later")).expect(200).text();
        backup.run();
        http.delete(state("deleted later")).expect(204);
        http.put(state("new later"), "{\"completed_state\": {\"v\": 5}}").expect(201);
        Answer changed = http.put(state("changed later"), "{\"completed_state\": {\"v\": 6}}").expect(200);
        long token = http.get(lock("held")).expect(200).json().path("fencing_token").asLong();
        return new Before(kept, version(changed), token, deletedLater);
    }

    private void check(ContractClient http, Before before) {
        assertThat(http.get(state("kept")).expect(200).text()).isEqualTo(before.kept());
        assertThat(http.get(state("deleted later")).expect(200).text()).isEqualTo(before.deletedLater());
        http.get(state("new later")).expect(404);
        assertThat(http.get(state("changed later")).expect(200).text()).contains("{\"v\":3}");
        http.put(state("changed later"), "{\"completed_state\": {\"v\": 7}}", "If-Match",
                "\"" + before.lastVersion() + "\"").expect(412);
        Answer changed = http.put(state("changed later"), "{\"completed_state\": {\"v\": 7}}").expect(200);
        assertThat(version(changed)).isGreaterThan(before.lastVersion());
        assertThat(http.get(state("changed later")).expect(200).text()).contains("{\"v\":7}");

        http.get(lock("held")).expect(404);
        http.put(state("held"), "{\"completed_state\": {\"v\": 8}}", "Lock-Token", lockId).expect(409);
        Answer granted = http.post(lock("held"), "{\"owner\": \"the next run\"}").expect(201);
        assertThat(granted.json().path("fencing_token").asLong()).isGreaterThan(before.token());
        http.put(state("held"), "{\"completed_state\": {\"v\": 8}}", "Lock-Token",
                granted.json().path("lock_id").asString()).expect(200);
    }

    private static long version(Answer answer) {
        return answer.json().path("version").asLong();
    }
}

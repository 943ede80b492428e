package dev.statehouse.lock;

import static dev.statehouse.testing.ContractClient.lock;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.statehouse.testing.AddOn;
import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The service with {@code settle}, on tables that it made itself, and a pipeline with the Meltano add-on on the same tables.
 */
class SettleServiceIT {

    private static final Duration WAIT = Duration.ofSeconds(3);
    private static final String ONE = "{\"partial_state\":{\"a\":1}}";
    private static final ExecutorService CALLERS = Executors.newVirtualThreadPerTaskExecutor();

    private static String schema;
    private static RunningService service;
    private static ContractClient http;
    private static AddOn addOn;

    private final String id = RunningService.freshPrefix();

    @BeforeAll
    static void start() {
        schema = TestClickHouse.shared().freshName();
        service = started("200ms", WAIT);
        http = service.client();
        addOn = new AddOn(schema);
        addOn.createTables();
    }

    private static RunningService started(String settle, Duration wait) {
        return RunningService.start(TestClickHouse.shared().uri("default"), schema, "--statehouse.lock.strategy=settle",
                "--statehouse.lock.settle=" + settle, "--statehouse.lock.wait=" + wait.toMillis() + "ms");
    }

    @AfterAll
    static void end() {
        service.close();
        TestClickHouse.shared().dropDatabase(schema);
    }

    /** @return the lock_id of the add-on */
    private static String locked(String id) {
        String lockId = UUID.randomUUID().toString();
        addOn.stand(id, lockId);
        return lockId;
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(90, TimeUnit.SECONDS);
    }

    @Test
    void aRowOfTheAddOnKeepsAllOtherWritersOut() {
        addOn.set(id, null, "{\"v\": 1}");
        String lockId = locked(id);
        Answer refused = http.put(state(id), ONE).expect(423, "locked");
        assertThat(refused.json().path("holder").path("owner").asString()).contains("Meltano add-on");
        http.delete(state(id)).expect(423, "locked");
        http.post(lock(id), "{\"owner\":\"x\"}").expect(423, "locked");
        assertThat(http.get(lock(id)).expect(200).json().path("owner").asString()).contains("Meltano add-on");
        assertThat(http.get("/locks?pattern=" + id).expect(200).json().path("locks").size()).isEqualTo(1);
        http.get(state(id)).expect(200);
        addOn.release(id, lockId);
        http.get(lock(id)).expect(404, "not-locked");
        http.put(state(id), ONE).expect(200);
    }

    @Test
    void aPatchWaitsForTheAddOnAndGivesUp() {
        addOn.set(id, null, "{\"v\": 1}");
        String lockId = locked(id);
        long start = System.nanoTime();
        http.patch(state(id), ONE).expect(423, "locked");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(WAIT);
        assertThat(addOn.candidates(id)).containsExactly(lockId);
        assertThat(addOn.get(id)).isEqualTo("-|{\"v\": 1}");
        addOn.release(id, lockId);
    }

    @Test
    void aPatchGoesOnOnceTheAddOnLetsGo() throws Exception {
        addOn.set(id, "{\"b\": 2}", null);
        String lockId = locked(id);
        Future<Answer> patch = CALLERS.submit(() -> http.patch(state(id), ONE));
        Thread.sleep(400);
        assertThat(patch.isDone()).isFalse();
        addOn.set(id, "{\"b\": 3}", null);
        addOn.release(id, lockId);
        get(patch).expect(200);
        assertThat(addOn.get(id)).isEqualTo("{\"b\":3,\"a\":1}|-");
        assertThat(addOn.candidates(id)).isEmpty();
    }

    @Test
    void whatTheAddOnWritesIsReadAndBuiltUpon() {
        addOn.set(id, null, "{\"v\": 1}");
        Answer first = http.get(state(id)).expect(200);
        addOn.set(id, "{\"w\": 2}", "{\"v\": 1}");
        Answer second = http.get(state(id)).expect(200);
        assertThat(second.header("ETag")).isNotEqualTo(first.header("ETag"));
        http.put(state(id), ONE, "If-Match", String.valueOf(first.header("ETag"))).expect(412);
        http.patch(state(id), ONE).expect(200);
        assertThat(addOn.get(id)).isEqualTo("{\"w\":2,\"a\":1}|{\"v\":1}");
        addOn.set(id, null, "{\"v\": 9}");
        assertThat(http.get(state(id)).expect(200).json().path("completed_state").path("v").asInt()).isEqualTo(9);
    }

    @Test
    void writingGoesOnAfterTheAddOnDeletedOrClearedAll() {
        http.put(state(id), ONE).expect(201);
        addOn.delete(id);
        http.get(state(id)).expect(404, "state-not-found");
        http.patch(state(id), ONE).expect(201);
        assertThat(addOn.get(id)).isEqualTo("{\"a\":1}|-");
        addOn.clearAll();
        assertThat(http.get("/states").expect(200).json().path("states").isEmpty()).isTrue();
        http.put(state(id), ONE).expect(201);
        http.delete(state(id)).expect(204);
        http.get(state(id)).expect(404, "state-not-found");
    }

    @Test
    void theAddOnStaysOutWhileALeaseIsHeld() throws Exception {
        JsonNode lease = http.post(lock(id), "{\"owner\":\"run 1\",\"ttl_seconds\":60}").expect(201).json();
        String lockId = lease.path("lock_id").asString();
        assertThat(addOn.sees(id)).isNotEmpty().doesNotContain(lockId);
        http.put(state(id), ONE).expect(423, "locked");
        http.put(state(id), ONE, "Lock-Token", lockId).expect(201);
        http.patch(state(id), "{\"partial_state\":{\"b\":2}}", "Lock-Token", lockId).expect(200);
        http.put(lock(id), "{\"ttl_seconds\":120}", "Lock-Token", lockId).expect(200);
        assertThat(addOn.sees(id)).isNotEmpty();
        Future<String> waiter = CALLERS.submit(() -> addOn.acquire(id));
        Thread.sleep(300);
        assertThat(waiter.isDone()).isFalse();
        http.delete(lock(id), "Lock-Token", lockId).expect(204);
        String theirs = get(waiter);
        http.put(state(id), ONE, "Lock-Token", lockId).expect(409, "lock-lost");
        http.put(state(id), ONE).expect(423, "locked");
        addOn.release(id, theirs);
    }

    @Test
    void importAndClearStopAtLocksOfTheAddOn() {
        String other = id + "-other";
        String import2 = "{\"%s\":{\"completed\":{\"v\":1}},\"%s\":{\"completed\":{\"v\":2}}}".formatted(id, other);
        String lockId = locked(id);
        http.post("/import", import2).expect(423, "locked");
        http.get(state(other)).expect(404, "state-not-found");
        addOn.release(id, lockId);
        assertThat(http.post("/import", import2).expect(200).json().path("imported").asInt()).isEqualTo(2);
        assertThat(addOn.get(other)).isEqualTo("-|{\"v\":2}");

        lockId = locked(id);
        http.delete("/states?pattern=" + id + "*").expect(423, "locked");
        http.get(state(other)).expect(200);
        addOn.release(id, lockId);
        lockId = locked(id + "-without-a-state");
        assertThat(http.delete("/states?pattern=" + id + "*").expect(200).json().path("deleted").asInt()).isEqualTo(2);
        addOn.release(id + "-without-a-state", lockId);
        http.get(state(other)).expect(404, "state-not-found");
    }

    /** Each adds what is its own to what it reads under the lock; with the times that are the default. */
    @Test
    void updatesOfBothSidesLoseNothing() throws Exception {
        http.put(state(id), "{\"partial_state\":{\"begin\":0}}").expect(201);
        Map<String, Integer> expected = new TreeMap<>(Map.of("begin", 0));
        List<Future<?>> all = new ArrayList<>();
        try (RunningService slower = started("1s", Duration.ofSeconds(60))) {
            for (int i = 0; i < 2; i++) {
                String key = "patch" + i;
                expected.put(key, i);
                all.add(CALLERS.submit(() -> slower.client()
                        .patch(state(id), "{\"partial_state\":{\"%s\":%s}}".formatted(key, key.substring(5)))
                        .expect(200)));
            }
            expected.put("add-on", 7);
            all.add(CALLERS.submit(() -> {
                addOnUpdates("add-on", 7);
                return true;
            }));
            for (Future<?> each : all) {
                get(each);
            }
        }
        Map<String, Integer> found = new TreeMap<>();
        http.get(state(id))
                .expect(200)
                .json()
                .path("partial_state")
                .properties()
                .forEach(entry -> found.put(entry.getKey(), entry.getValue().asInt()));
        assertThat(found).isEqualTo(expected);
    }

    private void addOnUpdates(String key, int value) throws InterruptedException {
        String lockId = addOn.acquire(id);
        String partial = addOn.get(id).split("\\|", -1)[0];
        ObjectNode read = (ObjectNode) JsonMapper.shared().readTree(partial);
        addOn.set(id, read.put(key, value).toString(), null);
        addOn.release(id, lockId);
    }
}

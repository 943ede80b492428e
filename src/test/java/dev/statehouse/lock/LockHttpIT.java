package dev.statehouse.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every call on locks over HTTP; each answer is held against the contract by the client. */
@Execution(ExecutionMode.CONCURRENT)
class LockHttpIT {

    private static final String UNKNOWN = "00000000-0000-4000-8000-000000000000";
    private static final ExecutorService CALLERS = Executors.newVirtualThreadPerTaskExecutor();

    private final ContractClient client = RunningService.shared().client();
    private final String name = "lock " + UUID.randomUUID() + " a/b;c%+ü";
    private final String lock = ContractClient.lock(name);
    private final String state = ContractClient.state(name);

    private Answer acquire(String body) {
        return client.post(lock, body);
    }

    /** @return its lock_id */
    private String acquired() {
        return acquire("{\"owner\":\"me\",\"ttl_seconds\":120}").expect(201).json().path("lock_id").stringValue();
    }

    private Future<Answer> waiter(String body) throws InterruptedException {
        int before = client.get(lock).json().path("waiting").intValue();
        Future<Answer> waiter = CALLERS.submit(() -> acquire(body));
        awaitWaiting(before + 1);
        return waiter;
    }

    private void awaitWaiting(int number) throws InterruptedException {
        long end = System.nanoTime() + 30_000_000_000L;
        int waiting = client.get(lock).json().path("waiting").asInt(-1);
        for (; waiting != number; waiting = client.get(lock).json().path("waiting").asInt(-1)) {
            assertThat(System.nanoTime()).as("%d wait, not %d", waiting, number).isLessThan(end);
            Thread.sleep(25);
        }
    }

    @Test
    void acquiredIsSaidWithItsPlace() {
        Answer answer = acquire("{\"owner\":\"me ☃\",\"ttl_seconds\":30}").expect(201);
        assertThat(answer.header("Location")).isEqualTo(lock);
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.json().path("state_id").stringValue()).isEqualTo(name);
        assertThat(answer.json().path("owner").stringValue()).isEqualTo("me ☃");
        assertThat(answer.json().path("expires_in_ms").longValue()).isBetween(10_000L, 30_000L);
        Answer seen = client.get(String.valueOf(answer.header("Location"))).expect(200);
        assertThat(seen.header("Cache-Control")).isEqualTo("no-store");
        assertThat(seen.json().path("fencing_token")).isEqualTo(answer.json().path("fencing_token"));
        assertThat(seen.text()).doesNotContain(answer.json().path("lock_id").stringValue());
        client.head(lock).expect(200);
    }

    @Test
    void defaultsAreSixtySecondsAndNoWait() {
        Answer answer = acquire("{\"owner\":\"me\"}").expect(201);
        assertThat(answer.json().path("expires_in_ms").longValue()).isBetween(40_000L, 60_000L);
        long start = System.nanoTime();
        acquire("{\"owner\":\"other\"}").expect(423);
        assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
    }

    @Test
    void aLockThatNobodyHolds() {
        client.get(lock).expect(404, "not-locked");
        client.head(lock).expect(404);
    }

    @Test
    void refusedSaysWhoHoldsIt() {
        String lockId = acquired();
        Answer refused = acquire("{\"owner\":\"other\"}").expect(423, "locked");
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
        assertThat(refused.json().path("holder").path("owner").stringValue()).isEqualTo("me");
        assertThat(refused.json().path("waiting").intValue()).isZero();
        assertThat(refused.text()).doesNotContain(lockId);
    }

    @Test
    void theSameLockIdIsARetry() {
        String mine = UUID.randomUUID().toString();
        String body = "{\"owner\":\"me\",\"lock_id\":\"%s\"}".formatted(mine);
        Answer first = acquire(body).expect(201);
        Answer again = acquire(body).expect(200);
        assertThat(again.header("Location")).isNull();
        assertThat(again.json().path("fencing_token")).isEqualTo(first.json().path("fencing_token"));
        assertThat(again.json().path("lock_id").stringValue()).isEqualTo(mine);
        client.delete(lock, "Lock-Token", mine).expect(204);
        acquire(body).expect(409, "lock-lost");
    }

    @Test
    void renewing() {
        String lockId = acquired();
        Answer renewed = client.put(lock, "{\"ttl_seconds\":600}", "Lock-Token", "<" + lockId + ">").expect(200);
        assertThat(renewed.header("Lock-Waiting")).isEqualTo("0");
        assertThat(renewed.header("Cache-Control")).isEqualTo("no-store");
        assertThat(renewed.json().path("expires_in_ms").longValue()).isBetween(500_000L, 600_000L);
        client.put(lock, "{}", "Lock-Token", lockId.toUpperCase(java.util.Locale.ROOT)).expect(200);
        client.put(lock, "{\"ttl_seconds\":60}").expect(400, "invalid-header");
        assertThat(client.put(lock, "{\"ttl_seconds\":60}", "Lock-Token", UNKNOWN)
                .expect(409, "lock-lost")
                .header("Lock-Waiting")).isEqualTo("0");
        client.put(lock, "{\"ttl_seconds\":0}", "Lock-Token", lockId).expect(422, "invalid-body");
        client.put(lock, "{\"owner\":\"x\"}", "Lock-Token", lockId).expect(422, "invalid-body");
        client.put(lock, "{", "Lock-Token", lockId).expect(400, "not-json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "<>", "<" + UNKNOWN, UNKNOWN + ">", "(" + UNKNOWN + ")", UNKNOWN + " " + UNKNOWN,
            UNKNOWN + ", 00000000-0000-4000-8000-000000000001", "\"" + UNKNOWN + "\"", UNKNOWN + ";q=1"})
    void badTokensAreRefusedAndDoNothing(String token) {
        String lockId = acquired();
        ContractClient bad = client.with("Lock-Token", token);
        bad.put(lock, "{\"ttl_seconds\":60}").expect(400, "invalid-header");
        bad.delete(lock).expect(400, "invalid-header");
        if (!token.contains(",")) {
            bad.put(state, "{\"completed_state\":{\"a\":1}}").expect(400, "invalid-header");
            bad.delete(state).expect(400, "invalid-header");
        }
        client.get(state).expect(404);
        client.delete(lock, "Lock-Token", lockId).expect(204);
    }

    @Test
    void releasing() {
        String lockId = acquired();
        client.delete(lock).expect(400, "invalid-header");
        assertThat(client.delete(lock, "Lock-Token", UNKNOWN).expect(409, "lock-lost").header("Lock-Waiting"))
                .isEqualTo("0");
        assertThat(client.delete(lock, "Lock-Token", lockId).expect(204).header("Lock-Waiting")).isEqualTo("0");
        assertThat(client.delete(lock, "Lock-Token", "<" + lockId + ">").expect(204).header("Cache-Control"))
                .isEqualTo("no-store");
        client.get(lock).expect(404);
    }

    @Test
    void breaking() {
        Answer held = acquire("{\"owner\":\"me\",\"ttl_seconds\":120}").expect(201);
        long token = held.json().path("fencing_token").longValue();
        String lockId = held.json().path("lock_id").stringValue();
        client.delete(lock + "?force=true").expect(400, "invalid-parameter");
        client.delete(lock + "?fencing_token=" + token).expect(400, "invalid-parameter");
        client.delete(lock + "?force=false&fencing_token=" + token).expect(400, "invalid-parameter");
        client.delete(lock + "?force=true&fencing_token=x").expect(400, "invalid-parameter");
        client.delete(lock + "?force=true&fencing_token=" + token, "Lock-Token", lockId).expect(400, "invalid-header");
        client.delete(lock + "?force=true&fencing_token=" + (token + 1)).expect(409, "fencing-token-mismatch");
        client.get(lock).expect(200);
        client.delete(lock + "?force=true&fencing_token=" + token).expect(204);
        client.delete(lock + "?force=true&fencing_token=" + token).expect(204);
        client.get(lock).expect(404);
        client.put(lock, "{}", "Lock-Token", lockId).expect(409, "lock-lost");
        client.delete(lock, "Lock-Token", lockId).expect(409, "lock-lost");
        client.put(state, "{\"completed_state\":{\"a\":1}}", "Lock-Token", lockId).expect(409, "lock-lost");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {} | 422 | owner
            {"owner":""} | 422 | owner
            {"owner":5} | 422 | owner
            {"owner":"a","ttl_seconds":0} | 422 | 86400
            {"owner":"a","ttl_seconds":86401} | 422 | 86400
            {"owner":"a","ttl_seconds":1.5} | 422 | ttl_seconds
            {"owner":"a","ttl_seconds":"60"} | 422 | ttl_seconds
            {"owner":"a","wait_seconds":-1} | 422 | 300
            {"owner":"a","wait_seconds":301} | 422 | 300
            {"owner":"a","lock_id":"x"} | 422 | UUID
            {"owner":"a","lock_id":5} | 422 | UUID
            {"owner":"a","ttl":5} | 422 | ttl
            {"owner":"a" | 400 |
            """)
    void badRequestsLockNothing(String body, int status, @org.jspecify.annotations.Nullable String told) {
        assertThat(acquire(body).expect(status).text()).contains(told == null ? "" : told);
        client.get(lock).expect(404);
    }

    @Test
    void otherBadCalls() {
        client.send("POST", lock, "owner=a".getBytes(StandardCharsets.UTF_8), "Content-Type",
                "application/x-www-form-urlencoded").expect(415);
        client.post(lock + "?wait_seconds=5", "{\"owner\":\"a\"}").expect(400, "unknown-parameter");
        client.send("PATCH", lock, "{}".getBytes(StandardCharsets.UTF_8)).expect(405);
        client.post(ContractClient.lock("x".repeat(1_025)), "{\"owner\":\"a\"}").expect(422, "invalid-state-id");
        client.get(lock).expect(404);
    }

    @Test
    void listing() {
        acquired();
        Answer all = client.get("/locks?pattern=" + ContractClient.encode(name.substring(0, 41) + "*")).expect(200);
        assertThat(all.header("Cache-Control")).isEqualTo("no-store");
        assertThat(all.json().path("locks").size()).isEqualTo(1);
        assertThat(all.json().path("locks").path(0).path("state_id").stringValue()).isEqualTo(name);
        assertThat(client.get("/locks").expect(200).text()).contains(name).doesNotContain("lock_id");
        assertThat(client.get("/locks?pattern=no-such-lock*").expect(200).json().path("locks").size()).isZero();
    }

    @Test
    void whoWaitsIsServedAndTheHolderIsTold() throws Exception {
        String lockId = acquired();
        Future<Answer> waiter = waiter("{\"owner\":\"next\",\"ttl_seconds\":60,\"wait_seconds\":60}");
        assertThat(client.put(lock, "{}", "Lock-Token", lockId).expect(200).header("Lock-Waiting")).isEqualTo("1");
        assertThat(client.put(lock, "{}", "Lock-Token", UNKNOWN).expect(409).header("Lock-Waiting")).isEqualTo("1");
        ContractClient holder = client.with("Lock-Token", lockId);
        assertThat(holder.put(state, "{\"completed_state\":{\"a\":1}}").expect(201).header("Lock-Waiting"))
                .isEqualTo("1");
        assertThat(holder.patch(state, "{\"partial_state\":{\"a\":1}}").expect(200).header("Lock-Waiting"))
                .isEqualTo("1");
        assertThat(holder.put(state, "{\"completed_state\":{\"a\":2}}", "If-None-Match", "*")
                .expect(412)
                .header("Lock-Waiting")).isEqualTo("1");
        String tag = String.valueOf(holder.get(state).expect(200).header("ETag"));
        for (Answer read : List.of(holder.get(state), holder.get(state, "If-None-Match", tag),
                holder.head(state).expect(200), holder.get(state + "-none").expect(404),
                holder.get(lock).expect(200))) {
            assertThat(read.header("Lock-Waiting")).as(read.toString()).isEqualTo(read.status() == 404 ? "0" : "1");
        }
        for (String call : List.of("/copy", "/move")) {
            assertThat(holder.post(state + call, "{\"to\":\"other\"}", "If-Match", "\"1\"")
                    .expect(412)
                    .header("Lock-Waiting"))
                    .isEqualTo("1");
        }
        assertThat(holder.post(state + "/merge", "{\"from\":\"no-such-state\"}").expect(404).header("Lock-Waiting"))
                .isEqualTo("1");
        assertThat(client.get(state).expect(200).header("Lock-Waiting")).isNull();
        client.get(state, "Lock-Token", "not a lock_id").expect(400, "invalid-header");
        assertThat(client.put(state, "{\"completed_state\":{\"a\":2}}").expect(423).json().path("waiting").intValue())
                .isEqualTo(1);
        assertThat(holder.delete(state).expect(204).header("Lock-Waiting")).isEqualTo("1");
        assertThat(client.delete(lock, "Lock-Token", lockId).expect(204).header("Lock-Waiting")).isEqualTo("0");
        Answer granted = waiter.get().expect(201);
        assertThat(granted.json().path("owner").stringValue()).isEqualTo("next");
        assertThat(granted.json().path("expires_in_ms").longValue()).isGreaterThan(30_000);
    }

    @Test
    void writesUnderALease() {
        String lockId = acquired();
        client.put(state, "{\"completed_state\":{\"a\":1}}").expect(423, "locked");
        client.patch(state, "{\"partial_state\":{\"a\":1}}").expect(423, "locked");
        client.delete(state).expect(423, "locked");
        client.put(state, "{\"completed_state\":{\"a\":1}}", "Lock-Token", UNKNOWN).expect(409, "lock-lost");
        client.get(state).expect(404);
        client.put(state, "{\"completed_state\":{\"a\":1}}", "Lock-Token", "<" + lockId + ">").expect(201);
        client.get(state).expect(200);
        String to = name + ":to";
        String other = client.post(ContractClient.lock(to), "{\"owner\":\"me\"}")
                .expect(201)
                .json()
                .path("lock_id")
                .stringValue();
        String copy = "{\"to\":\"%s\"}".formatted(to);
        client.post(state + "/copy", copy).expect(423);
        client.post(state + "/move", copy, "Lock-Token", other).expect(423, "locked");
        client.post(state + "/move", copy, "Lock-Token", lockId).expect(423, "locked");
        client.get(ContractClient.state(to)).expect(404);
        client.post(state + "/copy", copy, "Lock-Token", other).expect(200);
        client.post(state + "/move", copy, "Lock-Token", lockId + " , <" + other + ">").expect(200);
        client.get(state).expect(404);
        client.get(ContractClient.state(to)).expect(200);
    }

    private byte[] waitingRequest(String owner) {
        String body = "{\"owner\":\"" + owner + "\",\"ttl_seconds\":60,\"wait_seconds\":120}";
        return ("POST " + lock + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII);
    }

    private Socket waitingSocket() throws IOException {
        URI base = URI.create(RunningService.shared().base());
        Socket socket = new Socket(base.getHost(), base.getPort());
        socket.getOutputStream().write(waitingRequest("gone"));
        return socket;
    }

    /** Other tests run beside this one and have threads of their own, but not as many as wait here. */
    @Test
    void manyWhoWaitCostNoThreadOfTheSystemEach() throws Exception {
        acquired();
        int before = Thread.getAllStackTraces().size();
        List<Socket> sockets = new ArrayList<>();
        try {
            while (sockets.size() < 200) {
                for (int i = 0; i < 20; i++) {
                    sockets.add(waitingSocket());
                }
                awaitWaiting(sockets.size());
            }
            assertThat(Thread.getAllStackTraces().size() - before).isLessThan(100);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}

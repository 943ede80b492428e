package dev.statehouse.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import dev.statehouse.clickhouse.TestInstance;
import dev.statehouse.id.Glob;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.json.JsonObject;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Event;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.Locked;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.VersionMismatch;
import dev.statehouse.testing.SeamLedger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a write promises, across two instances with pools of their own. The second channel is SQL of the test's own. */
class WritePathIT {

    private static final ExecutorService CALLERS = Executors.newVirtualThreadPerTaskExecutor();
    private static final EntityTags ANY = new EntityTags(true, List.of(), List.of());

    /** More than an instance goes on asking a ClickHouse that does not answer, see {@link TestWriter}. */
    private static final Duration PAST_PATIENCE = Duration.ofSeconds(9);

    private static TestWriter one;
    private static TestWriter two;

    private final StateId id = new StateId("write:" + UUID.randomUUID());
    private final StateId other = new StateId(id.value() + ":other");

    @BeforeAll
    static void open() {
        String schema = TestInstance.freshSchema();
        one = TestWriter.open(schema);
        two = TestWriter.open(schema);
    }

    @AfterAll
    static void close() {
        one.instance.dropSchema();
        two.close();
        one.close();
    }

    @AfterEach
    void standNowhere() {
        one.standNowhere();
        two.standNowhere();
    }

    private static <T> Future<T> call(Callable<T> call) {
        return CALLERS.submit(call);
    }

    private static Halves completed(String json) {
        return new Halves(JsonObject.parse(json), null);
    }

    private Outcome.Done put(TestWriter by, StateId to, String json, LockId... leases) {
        return by.states.write(to, Preconditions.NONE, new LockTokens(Arrays.asList(leases)),
                Change.replace(completed(json), false));
    }

    private Outcome.Done put(TestWriter by, String json, LockId... leases) {
        return put(by, id, json, leases);
    }

    private Outcome.Done patch(TestWriter by, String json, LockId... leases) {
        return by.states.update(id, Preconditions.NONE, new LockTokens(Arrays.asList(leases)),
                Change.mergeIntoPartial(JsonObject.parse(json)));
    }

    private String completedOf(StateId of) {
        return one.instance.text("SELECT any(completed_state) FROM (SELECT * FROM $state FINAL) WHERE state_id = ?",
                of.value());
    }

    private String partialOf(StateId of) {
        return one.instance.text("SELECT any(partial_state) FROM (SELECT * FROM $state FINAL) WHERE state_id = ?",
                of.value());
    }

    private long rows(String event) {
        return one.instance.number("SELECT count() FROM $ledger WHERE state_id = ? AND event = ?", id.value(), event);
    }

    private static void refused(ProblemCode code, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(Problem.class,
                problem -> assertThat(problem.code()).isEqualTo(code));
    }

    /** A lease that is held, granted by a row of the test's own. */
    private static LockId lease(StateId of, Duration ttl) {
        LockId lockId = new LockId(UUID.randomUUID());
        one.instance.ledger()
                .append(List.of(Entry.request(of, UUID.randomUUID().toString(), lockId.hash(), "holder",
                        ttl.toMillis())));
        return lockId;
    }

    private static LockId lease(StateId of) {
        return lease(of, Duration.ofMinutes(2));
    }

    private static void release(StateId of, LockId lockId) {
        one.instance.ledger().append(List.of(Entry.release(of, UUID.randomUUID().toString(), lockId.hash())));
    }

    /** A write that counts, whose writer died before it stored it; inserted that long ago. */
    private void announce(StateId of, String json, long version, Duration age) {
        one.instance.execute(
                "INSERT INTO $ledger (state_id, event, event_id, version, completed_state, read_at, at)"
                        + " SETTINGS async_insert = 0 SELECT ?, 'write', ?, ?, ?, toUnixTimestamp64Milli(stamp), stamp"
                        + " FROM (SELECT now64(3) - toIntervalMillisecond(?) AS stamp)",
                of.value(), UUID.randomUUID().toString(), version, json, age.toMillis());
    }

    // --- Atomic -------------------------------------------------------------------------------------------------------

    @Test
    void patchesOfManyThroughTwoInstancesAreAllThere() throws Exception {
        List<Future<Outcome.Done>> all = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            String key = "k" + i;
            TestWriter by = i % 2 == 0 ? one : two;
            all.add(call(() -> patch(by, "{\"" + key + "\":1}")));
        }
        Set<Long> versions = new java.util.HashSet<>();
        for (Future<Outcome.Done> each : all) {
            versions.add(each.get(60, TimeUnit.SECONDS).state().version());
        }
        assertThat(JsonObject.parse(partialOf(id)).fields()).hasSize(24);
        assertThat(versions).hasSize(24);
    }

    /** The instance that wrote first must not take its own row for the newest: the other's write counted on top of it. */
    @Test
    void whatCountedOnTopOfAWriteIsBuiltUpon() {
        AtomicBoolean announced = new AtomicBoolean();
        one.ledger.afterAppend = entries -> entries.stream()
                .filter(entry -> entry.event() == Event.WRITE && announced.compareAndSet(false, true))
                .forEach(mine -> two.ledger.append(List.of(Entry.write(id, "on-top-" + id.value(), "", mine.version(),
                        mine.version() + 1, null, "{\"other\":1}", mine.readAt()))));
        put(one, "{\"mine\":1}");
        assertThat(announced).isTrue();
        patch(one, "{\"p\":1}");
        assertThat(completedOf(id)).isEqualTo("{\"other\":1}");
        assertThat(partialOf(id)).isEqualTo("{\"p\":1}");
    }

    @Test
    void ofManyWhoCreateOneDoes() throws Exception {
        List<String> outcomes = race(new Preconditions(null, ANY));
        assertThat(outcomes).filteredOn(outcome -> !outcome.equals("412")).singleElement().isEqualTo(completedOf(id));
    }

    @Test
    void ofManyWhoReplaceAVersionOneDoes() throws Exception {
        long version = put(one, "{\"a\":0}").state().version();
        List<String> outcomes = race(Preconditions.still(version));
        assertThat(outcomes).filteredOn(outcome -> !outcome.equals("412")).singleElement().isEqualTo(completedOf(id));
    }

    private static void await(CountDownLatch latch) {
        latch.countDown();
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> race(Preconditions preconditions) throws Exception {
        CountDownLatch bothHaveRead = new CountDownLatch(2);
        one.afterRead = () -> await(bothHaveRead);
        two.afterRead = one.afterRead;
        List<Future<String>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String json = "{\"mine\":" + i + "}";
            TestWriter by = i % 2 == 0 ? one : two;
            all.add(call(() -> {
                try {
                    by.states.write(id, preconditions, LockTokens.NONE, Change.replace(completed(json), false));
                    return json;
                } catch (VersionMismatch mismatch) {
                    return "412";
                }
            }));
        }
        List<String> outcomes = new ArrayList<>();
        for (Future<String> each : all) {
            outcomes.add(each.get(60, TimeUnit.SECONDS));
        }
        return outcomes;
    }

    @Test
    void twoWhoWriteUnderOneLeaseAreBothThere() throws Exception {
        LockId lease = lease(id);
        AtomicBoolean first = new AtomicBoolean(true);
        one.afterRead = () -> {
            if (first.compareAndSet(true, false)) {
                patch(two, "{\"two\":2}", lease);
            }
        };
        patch(one, "{\"one\":1}", lease);
        assertThat(partialOf(id)).contains("\"one\":1", "\"two\":2");
        assertThat(rows("write")).as("the first announcement did not count").isEqualTo(3);
    }

    @Test
    void whoSawAnOlderVersionStartsAgain() {
        put(one, "{\"n\":0}");
        AtomicBoolean first = new AtomicBoolean(true);
        one.ledger.beforeAppend = entries -> {
            // The first write's done comes in front of it, or by itself.
            if (entries.stream().anyMatch(entry -> entry.event() == Event.WRITE) && first.compareAndSet(true, false)) {
                put(two, "{\"n\":1}");
            }
        };
        long base = two.states.read(id).version();
        refused(ProblemCode.VERSION_MISMATCH, () -> one.states.write(id, Preconditions.still(base), LockTokens.NONE,
                Change.replace(completed("{\"n\":2}"), false)));
        assertThat(completedOf(id)).isEqualTo("{\"n\":1}");
    }

    @Test
    void severalWritesOfOneIdAreOneRowOneAfterTheOther() {
        Write first = new Write(id, Preconditions.NONE, Change.replace(completed("{\"n\":1}"), false), Set.of());
        Write fails = new Write(id, new Preconditions(null, ANY), Change.CLEAR, Set.of());
        Write second = new Write(id, Preconditions.NONE, Change.mergeIntoPartial(JsonObject.parse("{\"p\":2}")),
                Set.of());
        Write elsewhere = new Write(other, Preconditions.NONE, Change.replace(completed("{\"n\":3}"), false), Set.of());
        List<Outcome> outcomes = one.writer.write(List.of(first, fails, second, elsewhere));
        assertThat(outcomes.get(0).orThrow().created()).isTrue();
        refused(ProblemCode.VERSION_MISMATCH, () -> outcomes.get(1).orThrow());
        assertThat(outcomes.get(2).orThrow().created()).isFalse();
        assertThat(outcomes.get(2).orThrow().state().version())
                .isEqualTo(outcomes.get(0).orThrow().state().version() + 1);
        assertThat(rows("write")).isEqualTo(1);
        assertThat(completedOf(id) + partialOf(id) + completedOf(other)).isEqualTo("{\"n\":1}{\"p\":2}{\"n\":3}");
        assertThat(one.instance.number("SELECT uniqExact(_block_number) FROM $ledger WHERE event = 'write'"
                + " AND startsWith(state_id, ?)", id.value())).isEqualTo(1);
    }

    // --- Leases -------------------------------------------------------------------------------------------------------

    @Test
    void aLiveLeaseKeepsOthersOutAndLetsItsHolderIn() {
        LockId lease = lease(id);
        refused(ProblemCode.LOCKED, () -> put(two, "{\"n\":1}"));
        assertThatThrownBy(() -> put(two, "{\"n\":1}")).isInstanceOfSatisfying(Locked.class,
                locked -> assertThat(locked.members().get("holder")).asString().contains("holder"));
        assertThat(put(one, "{\"n\":2}", lease).created()).isTrue();
        refused(ProblemCode.LOCK_LOST, () -> put(one, "{\"n\":3}", new LockId(UUID.randomUUID())));
        release(id, lease);
        refused(ProblemCode.LOCK_LOST, () -> put(two, "{\"n\":4}", lease));
        assertThat(completedOf(id)).isEqualTo("{\"n\":2}");
        put(two, "{\"n\":5}");
        assertThat(completedOf(id)).isEqualTo("{\"n\":5}");
    }

    @Test
    void aLeaseThatIsTakenBetweenReadAndAnnouncementStopsTheWrite() {
        AtomicBoolean first = new AtomicBoolean(true);
        one.afterRead = () -> {
            if (first.compareAndSet(true, false)) {
                lease(id);
            }
        };
        refused(ProblemCode.LOCKED, () -> put(one, "{\"late\":1}"));
        assertThat(completedOf(id)).isEmpty();
        assertThat(rows("write")).isEqualTo(1);
    }

    @Test
    void aLeaseThatEndsBetweenReadAndAnnouncementStopsTheWrite() {
        LockId lease = lease(id);
        AtomicBoolean first = new AtomicBoolean(true);
        one.afterRead = () -> {
            if (first.compareAndSet(true, false)) {
                release(id, lease);
            }
        };
        refused(ProblemCode.LOCK_LOST, () -> put(one, "{\"late\":1}", lease));
        assertThat(completedOf(id)).isEmpty();
    }

    @Test
    void afterALeaseExpiredTheLogIsShownTheTimeFirst() throws Exception {
        LockId lease = lease(id, Duration.ofMillis(300));
        Thread.sleep(500);
        refused(ProblemCode.LOCK_LOST, () -> put(two, "{\"n\":1}", lease));
        put(one, "{\"n\":2}");
        assertThat(one.instance.text("SELECT arrayStringConcat(groupArray(event), ' ') FROM (SELECT event FROM $ledger"
                + " WHERE state_id = ? AND event != 'done' ORDER BY _block_number, _block_offset)", id.value()))
                .isEqualTo("request wait write");
        assertThat(one.instance.number("SELECT uniqExact(_block_number) FROM $ledger WHERE state_id = ?"
                + " AND event IN ('wait', 'write')", id.value())).isEqualTo(1);
        put(one, "{\"n\":3}");
        assertThat(rows("wait")).as("the log has seen it").isEqualTo(1);
    }

    @Test
    void severalLeasesGoWithACallThatTouchesSeveralIds() {
        put(one, "{\"n\":1}");
        LockId mine = lease(id);
        LockId others = lease(other);
        LockTokens both = new LockTokens(List.of(mine, others));
        refused(ProblemCode.LOCKED,
                () -> one.states.copy(id, other, Preconditions.NONE, new LockTokens(List.of(mine))));
        one.states.copy(id, other, Preconditions.NONE, new LockTokens(List.of(others)));
        refused(ProblemCode.LOCK_LOST, () -> one.states.copy(id, other, Preconditions.NONE,
                new LockTokens(List.of(mine, others, new LockId(UUID.randomUUID())))));
        one.states.merge(other, id, Preconditions.NONE, both);
        assertThat(partialOf(other)).isEqualTo("{\"n\":1}");
        one.states.move(id, other, Preconditions.NONE, both);
        assertThat(completedOf(other)).isEqualTo("{\"n\":1}");
        assertThat(completedOf(id)).isEmpty();
        refused(ProblemCode.LOCK_LOST, () -> put(one, "{\"n\":2}", mine, others));
    }

    @Test
    void howManyWaitIsToldForAllLeasesOfTheCall() {
        LockId mine = lease(id);
        LockId others = lease(other);
        lease(id);
        lease(id);
        lease(other);
        assertThat(put(one, "{\"n\":1}", mine).waiting()).isEqualTo(2);
        lease(id);
        assertThat(put(one, "{\"n\":1}", mine).waiting()).as("right after another write").isEqualTo(3);
        assertThat(one.states.copy(id, other, Preconditions.NONE, new LockTokens(List.of(mine, others))).waiting())
                .isEqualTo(4);
        assertThatThrownBy(() -> put(one, "{\"n\":1}")).isInstanceOfSatisfying(Problem.class,
                problem -> assertThat(problem.waiting()).hasValue(3));
        assertThatThrownBy(() -> put(one, "{\"n\":1}", new LockId(UUID.randomUUID())))
                .isInstanceOfSatisfying(Problem.class, problem -> assertThat(problem.waiting()).hasValue(3));
    }

    // --- Versions -----------------------------------------------------------------------------------------------------

    @Test
    void versionsGrowThoughARowCameFromAClockAnHourAhead() {
        long ahead = System.currentTimeMillis() + 3_600_000;
        one.instance.execute("INSERT INTO $state (state_id, completed_state, updated_at) SETTINGS async_insert = 0"
                + " VALUES (?, '{\"future\":1}', fromUnixTimestamp64Milli(?))", id.value(), ahead);
        long version = ahead;
        for (int i = 0; i < 4; i++) {
            long next = put(i % 2 == 0 ? one : two, "{\"n\":" + i + "}").state().version();
            assertThat(next).isEqualTo(version + 1);
            assertThat(completedOf(id)).isEqualTo("{\"n\":" + i + "}");
            version = next;
        }
        one.states.write(id, Preconditions.NONE, LockTokens.NONE, Change.CLEAR);
        assertThat(one.states.read(id).exists()).isFalse();
        assertThat(put(two, "{\"n\":9}").state().version()).isEqualTo(version + 2);
    }

    @Test
    void afterTheAddOnDeletedOrTruncatedWritingGoesOn() throws Exception {
        long before = put(one, "{\"n\":1}").state().version();
        awaitDone();
        one.instance.execute("DELETE FROM $state WHERE state_id = '" + id.value() + "'");
        assertThat(two.states.read(id).exists()).isFalse();
        Outcome.Done again = patch(two, "{\"p\":2}");
        assertThat(again.created()).isTrue();
        assertThat(again.state().version()).isGreaterThan(before);
        assertThat(completedOf(id) + partialOf(id)).isEqualTo("{\"p\":2}");
    }

    @Test
    void whatOthersDidBySqlIsSeenByTheNextWriteOfTheSameInstance() throws Exception {
        put(one, "{\"n\":1}");
        awaitDone();
        one.instance.execute("DELETE FROM $state WHERE state_id = '" + id.value() + "'");
        assertThat(patch(one, "{\"p\":2}").created()).isTrue();
        assertThat(completedOf(id)).as("what was deleted").isEmpty();
        long ahead = System.currentTimeMillis() + 3_600_000;
        one.instance.execute("INSERT INTO $state (state_id, completed_state, updated_at) SETTINGS async_insert = 0"
                + " VALUES (?, '{\"future\":1}', fromUnixTimestamp64Milli(?))", id.value(), ahead);
        letTheRowBeAskedFor();
        assertThat(put(one, "{\"n\":3}").state().version()).isGreaterThan(ahead);
        assertThat(completedOf(id)).isEqualTo("{\"n\":3}");
        one.instance.execute("INSERT INTO $state (state_id, completed_state, updated_at) SETTINGS async_insert = 0"
                + " VALUES (?, '{\"future\":2}', fromUnixTimestamp64Milli(?))", id.value(), ahead + 60_000);
        letTheRowBeAskedFor();
        assertThat(put(one, "{\"n\":4}").state().version()).as("after a write that is remembered")
                .isGreaterThan(ahead + 60_000);
        assertThat(completedOf(id)).isEqualTo("{\"n\":4}");
    }

    /** Who replaces a row takes it for the newest for a quarter of a second after it was asked for. */
    private static void letTheRowBeAskedFor() {
        one.instance.time().sleep(Duration.ofMillis(300));
    }

    private void awaitDone() throws InterruptedException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (rows("done") == 0) {
            assertThat(System.nanoTime()).as("no done row").isLessThan(end);
            Thread.sleep(20);
        }
    }

    @Test
    void aLoneWriteIsToldAsDoneByItself() throws Exception {
        put(one, "{\"n\":1}");
        awaitDone();
        assertThat(one.instance.number("SELECT count() FROM $ledger WHERE state_id = ? AND event = 'done' AND lock ="
                + " (SELECT event_id FROM $ledger WHERE state_id = ? AND event = 'write')", id.value(), id.value()))
                .isEqualTo(1);
    }

    @Test
    void doneRowsThatGetNoAnswerAreSentAgain() throws Exception {
        AtomicBoolean lost = new AtomicBoolean();
        one.ledger.beforeAppend = entries -> {
            if (entries.getFirst().event() == Event.DONE && entries.size() == 1 && lost.compareAndSet(false, true)) {
                throw SeamLedger.away();
            }
        };
        put(one, "{\"n\":1}");
        awaitDone();
        assertThat(lost).isTrue();
    }

    /** It counted, so it may be stored after all: by whoever comes next. */
    @Test
    void anOutageAfterAWriteCountedBehindALaterRowConfirmsNothing() {
        long ahead = put(one, "{\"n\":1}").state().version() + 60_000;
        one.instance.execute("INSERT INTO $state (state_id, completed_state, updated_at) SETTINGS async_insert = 0"
                + " VALUES (?, '{\"future\":1}', fromUnixTimestamp64Milli(?))", id.value(), ahead);
        letTheRowBeAskedFor();
        one.afterRead = () -> {
            one.instance.jump(PAST_PATIENCE);
            throw SeamLedger.away();
        };
        refused(ProblemCode.WRITE_UNCONFIRMED, () -> put(one, "{\"n\":2}"));
        assertThat(rows("write")).isEqualTo(2);
    }

    // --- Helping ------------------------------------------------------------------------------------------------------

    @Test
    void aWriterStallsAndTheNextOneHelpsIt() throws Exception {
        AtomicBoolean stalls = new AtomicBoolean(true);
        one.store.beforeWrite = rows -> {
            if (stalls.compareAndSet(true, false)) {
                patch(two, "{\"two\":2}");
                assertThat(partialOf(id)).as("helped, and merged onto").isEqualTo("{\"one\":1,\"two\":2}");
            }
        };
        patch(one, "{\"one\":1}");
        assertThat(partialOf(id)).as("the late row hides nothing").isEqualTo("{\"one\":1,\"two\":2}");
    }

    @Test
    void whatADeadWriterLeftIsStoredByTheNext() {
        long version = System.currentTimeMillis() + 5;
        announce(id, "{\"left\":1}", version, Duration.ZERO);
        assertThat(two.states.read(id).exists()).as("a plain read does not help").isFalse();
        assertThat(patch(two, "{\"p\":2}").created()).isFalse();
        assertThat(completedOf(id) + partialOf(id)).isEqualTo("{\"left\":1}{\"p\":2}");
        assertThat(one.instance.number("SELECT count() FROM $state WHERE state_id = ?"
                + " AND toUnixTimestamp64Milli(updated_at) = ? AND completed_state = '{\"left\":1}'", id.value(),
                version)).isIn(0L, 1L);
        assertThat(two.states.read(id).version()).isGreaterThan(version);
    }

    @Test
    void whatWasHelpedIsToldAsDone() throws Exception {
        announce(id, "{\"left\":1}", 1_700_000_000_000L, Duration.ZERO);
        refused(ProblemCode.VERSION_MISMATCH, () -> one.states.write(id, new Preconditions(null, ANY),
                LockTokens.NONE, Change.CLEAR));
        awaitDone();
        assertThat(one.instance.number("SELECT count() FROM $ledger WHERE state_id = ? AND event = 'done' AND lock ="
                + " (SELECT event_id FROM $ledger WHERE state_id = ? AND event = 'write')", id.value(), id.value()))
                .isEqualTo(1);
    }

    @Test
    void preconditionsAreHeldAgainstWhatADeadWriterLeft() {
        announce(id, "{\"left\":1}", System.currentTimeMillis(), Duration.ZERO);
        refused(ProblemCode.VERSION_MISMATCH, () -> one.states.write(id, new Preconditions(null, ANY),
                LockTokens.NONE, Change.replace(completed("{\"n\":1}"), false)));
        assertThat(completedOf(id)).isEqualTo("{\"left\":1}");
    }

    @ParameterizedTest
    @CsvSource({"9, helped", "11, refused", "14, refused", "16, alone"})
    void anOldUnfinishedWrite(int minutes, String what) {
        put(two, other, "{\"n\":0}");
        announce(id, "{\"left\":1}", 1_700_000_000_000L, Duration.ofMinutes(minutes));
        switch (what) {
            case "helped" -> {
                patch(one, "{\"p\":1}");
                assertThat(completedOf(id)).isEqualTo("{\"left\":1}");
            }
            case "refused" -> {
                refused(ProblemCode.CLICKHOUSE_UNAVAILABLE, () -> patch(one, "{\"p\":1}"));
                assertThat(completedOf(id)).isEmpty();
                assertThat(rows("write")).isEqualTo(1);
                // It stops its own id alone.
                List<Outcome> outcomes = one.writer.write(List.of(
                        new Write(id, Preconditions.NONE, Change.CLEAR, Set.of()),
                        new Write(other, Preconditions.NONE, Change.replace(completed("{\"n\":1}"), false), Set.of())));
                refused(ProblemCode.CLICKHOUSE_UNAVAILABLE, () -> outcomes.get(0).orThrow());
                assertThat(outcomes.get(1).orThrow().created()).isFalse();
            }
            default -> {
                patch(one, "{\"p\":1}");
                assertThat(completedOf(id)).isEmpty();
                assertThat(partialOf(id)).isEqualTo("{\"p\":1}");
            }
        }
    }

    // --- Lost answers and stopped processes ---------------------------------------------------------------------------

    @Test
    void anAnnouncementWhoseAnswerIsLostIsSentAgainAndCountsOnce() {
        AtomicBoolean lost = new AtomicBoolean();
        one.ledger.afterAppend = entries -> {
            if (entries.stream().anyMatch(entry -> entry.event() == Event.WRITE) && lost.compareAndSet(false, true)) {
                throw SeamLedger.away();
            }
        };
        patch(one, "{\"n\":1}");
        assertThat(rows("write")).isEqualTo(2);
        assertThat(one.instance.number("SELECT uniqExact(event_id) FROM $ledger WHERE state_id = ? AND event = 'write'",
                id.value())).isEqualTo(1);
        assertThat(partialOf(id)).isEqualTo("{\"n\":1}");
        patch(two, "{\"m\":2}");
        assertThat(partialOf(id)).isEqualTo("{\"n\":1,\"m\":2}");
    }

    @Test
    void aRowWhoseAnswerIsLostIsStoredAgain() {
        AtomicBoolean lost = new AtomicBoolean();
        one.store.afterWrite = rows -> {
            if (lost.compareAndSet(false, true)) {
                throw SeamLedger.away();
            }
        };
        assertThat(put(one, "{\"n\":1}").created()).isTrue();
        assertThat(completedOf(id)).isEqualTo("{\"n\":1}");
    }

    @Test
    void anAnnouncementThatFailedToCountCountsNeverThoughItLandsAgain() {
        List<Entry> late = new ArrayList<>();
        one.ledger.afterAppend = entries -> {
            if (late.isEmpty()) {
                late.addAll(entries.stream().filter(entry -> entry.event() == Event.WRITE).toList());
            }
        };
        AtomicBoolean first = new AtomicBoolean(true);
        one.afterRead = () -> {
            if (first.compareAndSet(true, false)) {
                lease(other);
                one.instance.ledger().append(List.of(Entry.request(id, "r" + id.value(), "l" + id.value(), "o", 200)));
            }
        };
        refused(ProblemCode.LOCKED, () -> put(one, "{\"late\":1}"));
        one.instance.time().sleep(Duration.ofMillis(400));
        one.instance.ledger().append(List.of(Entry.sign(id, "s" + id.value(), "")));
        one.instance.ledger().append(late);
        patch(two, "{\"p\":1}");
        assertThat(completedOf(id)).isEmpty();
        assertThat(partialOf(id)).isEqualTo("{\"p\":1}");
    }

    @Test
    void whileClickHouseIsAwayNothingIsConfirmed() {
        one.ledger.beforeLook = () -> {
            one.instance.jump(PAST_PATIENCE);
            throw SeamLedger.away();
        };
        refused(ProblemCode.WRITE_UNCONFIRMED, () -> put(one, "{\"n\":1}"));
        one.ledger.beforeLook = () -> {};
        // It may count, and does: whoever comes next finishes it.
        patch(one, "{\"p\":1}");
        assertThat(completedOf(id)).isEqualTo("{\"n\":1}");
    }

    @Test
    void afterMoreThanFiveMinutesNoLookProvesAnything() {
        try (TestWriter stopped = another()) {
            stopped.ledger.afterAppend = entries -> stopped.instance.jump(Duration.ofMinutes(6));
            refused(ProblemCode.WRITE_UNCONFIRMED, () -> put(stopped, "{\"n\":1}"));
            assertThat(completedOf(id)).as("not stored by one that was stopped").isEmpty();
        }
    }

    @Test
    void afterMoreThanFiveMinutesADoneRowProvesIt() {
        try (TestWriter stopped = another()) {
            stopped.ledger.afterAppend = entries -> {
                if (entries.getFirst().event() == Event.WRITE) {
                    stopped.instance.ledger().settle(id, entries.getFirst().eventId());
                    stopped.instance.ledger()
                            .append(List.of(Entry.done(id, "done" + id.value(), entries.getFirst().eventId())));
                    stopped.instance.jump(Duration.ofMinutes(6));
                }
            };
            assertThat(put(stopped, "{\"n\":1}").created()).isTrue();
            assertThat(completedOf(id)).isEqualTo("{\"n\":1}");
        }
    }

    @Test
    void afterMoreThanFiveMinutesNothingIsStored() {
        try (TestWriter stopped = another()) {
            stopped.store.beforeWrite = rows -> {
                stopped.instance.jump(Duration.ofMinutes(6));
                throw SeamLedger.away();
            };
            refused(ProblemCode.WRITE_UNCONFIRMED, () -> put(stopped, "{\"n\":1}"));
            assertThat(completedOf(id)).isEmpty();
        }
    }

    @Test
    void afterMoreThanFiveMinutesNothingIsAnnounced() {
        try (TestWriter stopped = another()) {
            stopped.afterRead = () -> stopped.instance.jump(Duration.ofMinutes(6));
            refused(ProblemCode.WRITE_UNCONFIRMED, () -> put(stopped, "{\"n\":1}"));
            assertThat(rows("write")).isZero();
        }
    }

    private static TestWriter another() {
        return TestWriter.open(one.instance.schema());
    }

    @Test
    void aWriteThatWasReadMoreThanAMinuteBeforeItLandsIsNothing() {
        one.instance.ledger()
                .append(List.of(Entry.write(id, "old" + id.value(), "", 0, System.currentTimeMillis(), null,
                        "{\"late\":1}", System.currentTimeMillis() - 61_000)));
        patch(one, "{\"p\":1}");
        assertThat(completedOf(id)).isEmpty();
    }

    @Test
    void anOutageInALaterRoundLeavesWhatWasDone() {
        AtomicBoolean first = new AtomicBoolean(true);
        one.afterRead = () -> {
            if (first.compareAndSet(true, false)) {
                put(two, other, "{\"race\":1}");
            } else {
                one.instance.jump(PAST_PATIENCE);
                throw SeamLedger.away();
            }
        };
        List<Outcome> outcomes = one.writer.write(List.of(
                new Write(id, Preconditions.NONE, Change.replace(completed("{\"n\":1}"), false), Set.of()),
                new Write(other, Preconditions.NONE, Change.replace(completed("{\"n\":2}"), false), Set.of())));
        assertThat(outcomes.get(0).orThrow().created()).isTrue();
        refused(ProblemCode.CLICKHOUSE_UNAVAILABLE, () -> outcomes.get(1).orThrow());
        assertThat(completedOf(other)).isEqualTo("{\"race\":1}");
    }

    /** The first of the import is the one that is not done: what comes after it counts all the same. */
    @Test
    void anOutageAmidAnImportTellsOfWhatWasDone() {
        AtomicBoolean first = new AtomicBoolean(true);
        one.afterRead = () -> {
            if (first.compareAndSet(true, false)) {
                put(two, other, "{\"race\":1}");
            } else {
                one.instance.jump(PAST_PATIENCE);
                throw SeamLedger.away();
            }
        };
        ImportBody body = importOf(other.value(), "{\"n\":2}", id.value(), "{\"n\":1}");
        refused(ProblemCode.WRITE_UNCONFIRMED, () -> one.importAll(body, LockTokens.NONE));
        assertThat(completedOf(id) + completedOf(other)).isEqualTo("{\"n\":1}{\"race\":1}");
    }

    @Test
    void whoWritesKeepsTheSnapshotsUp() {
        one.instance.execute("INSERT INTO $ledger (state_id, event, event_id) SETTINGS async_insert = 0"
                + " SELECT ?, 'wait', toString(number) FROM numbers(501)", id.value());
        LockId lease = lease(id);
        refused(ProblemCode.LOCKED, () -> put(one, "{\"n\":1}"));
        assertThat(rows("snapshot")).isEqualTo(1);
        put(two, "{\"n\":1}", lease);
        assertThat(rows("snapshot")).isEqualTo(1);
    }

    // --- Several ids --------------------------------------------------------------------------------------------------

    private ImportBody importOf(String... idsAndJson) {
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i < idsAndJson.length; i += 2) {
            json.append(i == 0 ? "" : ",")
                    .append('"')
                    .append(idsAndJson[i])
                    .append("\":{\"completed\":")
                    .append(idsAndJson[i + 1])
                    .append('}');
        }
        return ImportBody.parse(json.append('}').toString().getBytes(java.nio.charset.StandardCharsets.UTF_8), false,
                false, Long.MAX_VALUE);
    }

    @Test
    void nothingIsImportedWhereOneIsLocked() {
        LockId lease = lease(other);
        ImportBody body = importOf(id.value(), "{\"n\":1}", other.value(), "{\"n\":2}");
        refused(ProblemCode.LOCKED, () -> one.importAll(body, LockTokens.NONE));
        assertThat(completedOf(id) + completedOf(other)).isEmpty();
        assertThat(rows("write")).isZero();
        refused(ProblemCode.LOCK_LOST, () -> one.importAll(body,
                new LockTokens(List.of(lease, new LockId(UUID.randomUUID())))));
        assertThat(rows("write")).isZero();
        StateListController.Imported imported = one.importAll(body, new LockTokens(List.of(lease)));
        assertThat(imported.imported()).isEqualTo(2);
        assertThat(imported.skipped()).isEmpty();
        assertThat(completedOf(id) + completedOf(other)).isEqualTo("{\"n\":1}{\"n\":2}");
    }

    @Test
    void whatIsLockedMeanwhileIsSkippedAndNamed() {
        AtomicBoolean first = new AtomicBoolean(true);
        one.afterRead = () -> {
            if (first.compareAndSet(true, false)) {
                lease(other);
            }
        };
        StateListController.Imported imported = one
                .importAll(importOf(id.value(), "{\"n\":1}", other.value(), "{\"n\":2}"), LockTokens.NONE);
        assertThat(imported.imported()).isEqualTo(1);
        assertThat(imported.skipped()).containsExactly(other.value());
        assertThat(completedOf(id) + completedOf(other)).isEqualTo("{\"n\":1}");
    }

    @Test
    void nothingIsClearedWhereOneIsLocked() {
        put(one, "{\"n\":1}");
        put(one, other, "{\"n\":2}");
        LockId lease = lease(other);
        Glob pattern = new Glob(id.value() + "*");
        assertThatThrownBy(() -> two.clear(pattern, LockTokens.NONE)).isInstanceOf(Locked.class)
                .hasMessageContaining(other.value());
        assertThat(two.bulk.count(pattern)).isEqualTo(2);
        assertThat(two.clear(pattern, new LockTokens(List.of(lease))).deleted()).isEqualTo(2);
        assertThat(two.bulk.count(pattern)).isZero();
    }

    @Test
    void whatIsLockedWhileAllIsClearedIsSkippedAndNamed() {
        put(one, "{\"n\":1}");
        put(one, other, "{\"n\":2}");
        AtomicBoolean first = new AtomicBoolean(true);
        two.afterRead = () -> {
            if (first.compareAndSet(true, false)) {
                lease(id);
            }
        };
        StateListController.Deleted deleted = two.clear(new Glob(id.value() + "*"), LockTokens.NONE);
        assertThat(deleted.deleted()).isEqualTo(1);
        assertThat(deleted.skipped()).containsExactly(id.value());
        assertThat(completedOf(id)).isEqualTo("{\"n\":1}");
    }

    @Test
    void aLockWithoutAStateStopsNoClearingAndItsHolderMayNameIt() {
        put(one, other, "{\"n\":2}");
        LockId lease = lease(id);
        Glob pattern = new Glob(id.value() + "*");
        assertThat(one.clear(pattern, LockTokens.NONE).deleted()).isEqualTo(1);
        put(one, other, "{\"n\":3}");
        assertThat(one.clear(pattern, new LockTokens(List.of(lease))).deleted()).isEqualTo(1);
    }

    @Test
    void moveLosesNothingThatIsWrittenMeanwhile() {
        put(one, "{\"n\":1}");
        AtomicBoolean first = new AtomicBoolean(true);
        one.store.afterWrite = rows -> {
            if (first.compareAndSet(true, false)) {
                put(two, "{\"n\":2}");
            }
        };
        one.states.move(id, other, Preconditions.NONE, LockTokens.NONE);
        assertThat(completedOf(other)).isEqualTo("{\"n\":2}");
        assertThat(two.states.read(id).exists()).isFalse();
    }

    @Test
    void moveUnderAVersionMovesThatOneOrNothing() {
        long version = put(one, "{\"n\":1}").state().version();
        AtomicBoolean first = new AtomicBoolean(true);
        one.store.afterWrite = rows -> {
            if (first.compareAndSet(true, false)) {
                put(two, "{\"n\":2}");
            }
        };
        refused(ProblemCode.VERSION_MISMATCH,
                () -> one.states.move(id, other, Preconditions.still(version), LockTokens.NONE));
        assertThat(completedOf(id)).isEqualTo("{\"n\":2}");
    }

    @Test
    void anOutageAfterTheCopyOfAMoveConfirmsNothing() {
        put(one, "{\"n\":1}");
        AtomicBoolean copied = new AtomicBoolean();
        one.store.afterWrite = rows -> copied.set(true);
        one.afterRead = () -> {
            if (copied.get()) {
                one.instance.jump(PAST_PATIENCE);
                throw SeamLedger.away();
            }
        };
        refused(ProblemCode.WRITE_UNCONFIRMED,
                () -> one.states.move(id, other, Preconditions.NONE, LockTokens.NONE));
        assertThat(completedOf(id) + completedOf(other)).isEqualTo("{\"n\":1}{\"n\":1}");
    }

    @Test
    void moveOfALockedStateChangesNothing() {
        put(one, "{\"n\":1}");
        put(one, other, "{\"n\":2}");
        LockId lease = lease(id);
        refused(ProblemCode.LOCKED, () -> two.states.move(id, other, Preconditions.NONE, LockTokens.NONE));
        assertThat(completedOf(id) + completedOf(other)).isEqualTo("{\"n\":1}{\"n\":2}");
        two.states.copy(id, other, Preconditions.NONE, LockTokens.NONE);
        assertThat(completedOf(other)).as("copying only reads it").isEqualTo("{\"n\":1}");
        two.states.move(id, other, Preconditions.NONE, new LockTokens(List.of(lease)));
        assertThat(completedOf(id)).isEmpty();
    }

    @Test
    void atEveryMomentOfAMoveOneHasTheContent() {
        put(one, "{\"n\":1}");
        List<String> seen = new ArrayList<>();
        one.store.beforeWrite = rows -> seen.add(completedOf(id) + completedOf(other));
        one.store.afterWrite = rows -> seen.add(completedOf(id) + completedOf(other));
        one.states.move(id, other, Preconditions.NONE, LockTokens.NONE);
        assertThat(seen.stream().distinct().collect(Collectors.toList())).containsExactly("{\"n\":1}",
                "{\"n\":1}{\"n\":1}");
        assertThat(completedOf(id) + completedOf(other)).isEqualTo("{\"n\":1}");
    }
}

package dev.statehouse.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.statehouse.clickhouse.TestInstance;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Event;
import dev.statehouse.problem.Conflict;
import dev.statehouse.problem.Locked;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import dev.statehouse.testing.PrivateEngine;
import dev.statehouse.testing.SeamLedger;
import io.micrometer.core.instrument.Timer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerLocksIT extends LockStrategyContract {

    /** More than an instance goes on asking a ClickHouse that does not answer, see {@link TestLocks}. */
    private static final Duration PAST_PATIENCE = Duration.ofSeconds(9);

    private static String schema;
    private static TestLocks one;
    private static TestLocks two;
    private static final List<TestLocks> MORE = new ArrayList<>();

    @BeforeAll
    static void open() {
        schema = TestInstance.freshSchema();
        one = TestLocks.open(schema);
        two = TestLocks.open(schema);
    }

    @AfterAll
    static void close() {
        one.instance().dropSchema();
        MORE.forEach(TestLocks::close);
        two.close();
        one.close();
    }

    @Override
    LockStrategy one() {
        return one.locks();
    }

    @Override
    LockStrategy two() {
        return two.locks();
    }

    @Override
    LockStrategy restarted() {
        return another().locks();
    }

    private static TestLocks another() {
        TestLocks started = TestLocks.open(schema);
        synchronized (MORE) {
            MORE.add(started);
        }
        return started;
    }

    private long rows(String event) {
        return one.instance().number("SELECT count() FROM $ledger WHERE state_id = ? AND event = ?", id.value(), event);
    }

    /** Rows that do nothing, so that the newest snapshot is far back. */
    private void manyRows() {
        one.instance()
                .execute("INSERT INTO $ledger (state_id, event, event_id) SETTINGS async_insert = 0"
                        + " SELECT ?, 'wait', toString(number) FROM numbers(501)", id.value());
    }

    private static boolean has(List<Entry> entries, Event event) {
        return entries.stream().anyMatch(entry -> entry.event() == event);
    }

    /** The first INSERT with such a row is made, and its answer lost. */
    private static void loseAnswer(TestLocks locks, Event event) {
        AtomicBoolean lost = new AtomicBoolean();
        locks.ledger().afterAppend = entries -> {
            if (has(entries, event) && lost.compareAndSet(false, true)) {
                throw SeamLedger.away();
            }
        };
    }

    @Test
    void noSecretLiesInTheTable() {
        Lease lease = acquire(one(), LONG);
        two().renew(id, lease.lockId(), LONG);
        two().release(id, lease.lockId());
        assertThat(one.instance()
                .number("SELECT count() FROM $ledger WHERE state_id = ? AND position(toString(tuple(*)), ?) > 0",
                        id.value(), lease.lockId().text()))
                .isZero();
        assertThat(rows("request")).isEqualTo(1);
    }

    @Test
    void tokensGrowAfterOldRowsAreForgottenAndNothingLiveIs() throws Exception {
        Lease past = acquire(one(), LONG);
        one().release(id, past.lockId());
        Lease holder = acquire(two(), LONG);
        Future<Lease> waiter = waiter(one(), newLock(), LONG);
        awaitWaiting(1);
        manyRows();
        refused(ProblemCode.LOCKED, () -> acquire(two(), LONG));
        assertThat(rows("snapshot")).isPositive();
        one.instance()
                .execute("ALTER TABLE $ledger DELETE WHERE state_id = '" + id.value() + "' AND event != 'snapshot'"
                        + " AND _block_number <= (SELECT max(upto) FROM $ledger WHERE state_id = '" + id.value()
                        + "') SETTINGS mutations_sync = 1");
        assertThat(rows("request")).as("the holder's own is gone").isLessThan(3);
        assertThat(waiting()).isEqualTo(1);
        assertThat(restarted().find(id).orElseThrow().holder().fencingToken()).isEqualTo(holder.fencingToken());
        refused(ProblemCode.LOCK_LOST, () -> acquire(two(), past.lockId(), LONG, NONE));
        two().release(id, holder.lockId());
        assertThat(get(waiter).fencingToken()).isGreaterThan(holder.fencingToken());
    }

    @Test
    void whoAcquiresOrRenewsKeepsTheSnapshotsUpWhateverTheAnswer() {
        manyRows();
        Lease lease = acquire(one(), LONG);
        assertThat(rows("snapshot")).as("granted").isEqualTo(1);
        manyRows();
        two().renew(id, lease.lockId(), LONG);
        assertThat(rows("snapshot")).as("renewed").isEqualTo(2);
        manyRows();
        refused(ProblemCode.LOCK_LOST, () -> one().renew(id, newLock(), LONG));
        assertThat(rows("snapshot")).as("renewing refused").isEqualTo(3);
        manyRows();
        refused(ProblemCode.LOCKED, () -> acquire(two(), LONG));
        assertThat(rows("snapshot")).as("refused").isEqualTo(4);
        acquire(two(), lease.lockId(), LONG, NONE);
        assertThat(rows("snapshot")).as("none is due").isEqualTo(4);
    }

    @Test
    void whoWaitsForLongKeepsTheSnapshotsUp() throws Exception {
        Lease holder = acquire(one(), LONG);
        Future<Lease> waiter = waiter(two(), newLock(), LONG);
        awaitWaiting(1);
        manyRows();
        long end = System.nanoTime() + AT_MOST.toNanos();
        while (rows("snapshot") == 0 && System.nanoTime() < end) {
            Thread.sleep(50);
        }
        assertThat(rows("snapshot")).isEqualTo(1);
        one().release(id, holder.lockId());
        get(waiter);
    }

    @Test
    void tokensGrowAfterTheLedgerWasMadeAnew() {
        String own = TestInstance.freshSchema();
        try (TestLocks locks = TestLocks.open(own)) {
            Lease lease = acquire(locks.locks(), LONG);
            locks.instance().execute("DROP TABLE $ledger SYNC");
            locks.instance().applySchema();
            refused(ProblemCode.LOCK_LOST, () -> locks.locks().renew(id, lease.lockId(), LONG));
            Lease next = acquire(locks.locks(), LONG);
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            locks.instance().dropSchema();
        }
    }

    @Test
    void aLeaseOutlivesTheEnginesRestartAndTokensGrow(@TempDir Path folder) throws Exception {
        try (PrivateEngine engine = PrivateEngine.start(folder)) {
            try (TestLocks locks = TestLocks.of(TestInstance.open(engine.uri("default"), "meltano"))) {
                Lease lease = acquire(locks.locks(), LONG);
                engine.kill();
                engine.awaitAnswer();
                Lease renewed = locks.locks().renew(id, lease.lockId(), LONG);
                assertThat(renewed.fencingToken()).isEqualTo(lease.fencingToken());
                refused(ProblemCode.LOCKED, () -> acquire(locks.locks(), LONG));
                locks.locks().release(id, lease.lockId());
                assertThat(acquire(locks.locks(), LONG).fencingToken()).isGreaterThan(lease.fencingToken());
            }
        }
    }

    @Test
    void aRowWhoseAnswerIsLostIsSentAgainAndHarmsNobody() {
        TestLocks instance = another();
        LockStrategy locks = instance.locks();
        loseAnswer(instance, Event.REQUEST);
        Lease lease = acquire(locks, LONG);
        assertThat(rows("request")).isEqualTo(2);
        assertThat(lease.fresh()).isTrue();
        loseAnswer(instance, Event.RENEW);
        assertThat(locks.renew(id, lease.lockId(), LONG).fencingToken()).isEqualTo(lease.fencingToken());
        loseAnswer(instance, Event.RELEASE);
        locks.release(id, lease.lockId());
        assertThat(rows("release")).isEqualTo(2);
        assertThat(two().find(id)).isEmpty();
        assertThat(one.instance()
                .number("SELECT uniqExact(event_id) FROM $ledger WHERE state_id = ? AND event = 'request'",
                        id.value()))
                .isEqualTo(1);
    }

    @Test
    void aRequestThatLandsOnceMoreAfterItsReleaseGetsNothing() {
        Lease lease = acquire(one(), LONG);
        one().release(id, lease.lockId());
        one.instance()
                .execute("INSERT INTO $ledger (state_id, event, event_id, lock, owner, ttl_ms)"
                        + " SELECT state_id, event, event_id, lock, owner, ttl_ms FROM $ledger"
                        + " WHERE state_id = ? AND event = 'request'", id.value());
        assertThat(rows("request")).isEqualTo(2);
        assertThat(two().find(id)).isEmpty();
        assertThat(acquire(two(), LONG).fresh()).isTrue();
    }

    @Test
    void aRequestThatLandsAfterItWasTakenBackGetsNothing() {
        Lease holder = acquire(one(), LONG);
        TestLocks instance = another();
        // The answer is lost and the row is not there: it is sent again, and the first copy comes late.
        List<Entry> late = new ArrayList<>();
        instance.ledger().beforeAppend = entries -> {
            if (has(entries, Event.REQUEST) && late.isEmpty()) {
                late.addAll(entries);
                throw SeamLedger.away();
            }
        };
        refused(ProblemCode.LOCKED, () -> acquire(instance.locks(), LONG));
        two().release(id, holder.lockId());
        instance.ledger().append(late);
        assertThat(two().find(id)).isEmpty();
        assertThat(waiting()).isZero();
    }

    @Test
    void aLeaseThatNobodyWasToldOfIsLetGo() throws Exception {
        TestLocks instance = another();
        AtomicBoolean away = new AtomicBoolean(true);
        instance.ledger().beforeLook = () -> {
            if (away.get()) {
                instance.instance().jump(PAST_PATIENCE);
                throw SeamLedger.away();
            }
        };
        assertThatThrownBy(() -> instance.locks()
                .acquire(
                        new AcquireRequest(id, newLock(), false, "unnamed", LONG, NONE), STAYS))
                .isInstanceOf(Unavailable.class);
        long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        while (one().find(id).isPresent() && System.nanoTime() < end) {
            Thread.sleep(20);
        }
        assertThat(one().find(id)).isEmpty();
        // One that was named can ask again, and so keeps it.
        LockId named = newLock();
        assertThatThrownBy(() -> acquire(instance.locks(), named, LONG, NONE)).isInstanceOf(Unavailable.class);
        away.set(false);
        assertThat(acquire(instance.locks(), named, LONG, NONE).lockId()).isEqualTo(named);
    }

    @Test
    void whatTheAnswerTakesIsNotToldAsTimeThatIsLeft() {
        TestLocks instance = another();
        instance.ledger().afterLook = () -> instance.instance().jump(Duration.ofSeconds(40));
        Lease lease = acquire(instance.locks(), LONG);
        assertThat(lease.expiresIn()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(20));
    }

    @Test
    void aLeaseThatEndsBeforeItCanBeToldIsNotGranted() {
        TestLocks instance = another();
        instance.ledger().afterLook = () -> {
            instance.instance().jump(Duration.ofSeconds(2));
            instance.instance().time().sleep(Duration.ofMillis(1_100));
        };
        refused(ProblemCode.LOCK_LOST, () -> acquire(instance.locks(), SECOND));
    }

    @Test
    void oneLooksForAllThatWait() throws Exception {
        Lease holder = acquire(one(), LONG);
        TestLocks instance = another();
        List<Future<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            // One that was named keeps its place for a while after its caller has gone.
            waiters.add(call(() -> instance.locks()
                    .acquire(new AcquireRequest(id, newLock(), false, "unnamed", SECOND, LONG), STAYS)));
        }
        awaitWaiting(40);
        Thread.sleep(500);
        int before = instance.ledger().looks.get();
        long start = System.nanoTime();
        Thread.sleep(2_000);
        // One a poll of 25 ms; each that looked by itself would add its own.
        assertThat((long) instance.ledger().looks.get() - before).isBetween(1L, since(start).toMillis() / 25 + 20);
        long end = System.nanoTime() + AT_MOST.toNanos();
        while (rows("wait") < 40 && System.nanoTime() < end) {
            Thread.sleep(50);
        }
        assertThat(rows("wait")).as("signs of life, one in 2 s").isBetween(40L, 10 * 40L);
        for (Future<Lease> waiter : waiters) {
            assertThat(waiter.isDone()).isFalse();
            waiter.cancel(true);
        }
        awaitWaiting(0);
        one().release(id, holder.lockId());
    }

    private static void requestedAgo(StateId id, LockId lock, Duration ago) {
        one.instance()
                .execute(
                        "INSERT INTO $ledger (state_id, event, event_id, lock, owner, ttl_ms, at) SETTINGS async_insert = 0"
                                + " SELECT ?, 'request', ?, ?, 'a test', 3600000, now64(3) - toIntervalMillisecond(?)",
                        id.value(), lock.text(), lock.hash(), ago.toMillis());
    }

    @Test
    void howLongALockWasHeldIsCountedByTheReleaseThatEndedIt() {
        StateId wanted = new StateId(id.value() + "-wanted");
        LockId inPeace = newLock();
        LockId waitedFor = newLock();
        requestedAgo(id, inPeace, Duration.ofMinutes(10));
        requestedAgo(wanted, waitedFor, Duration.ofMinutes(20));
        requestedAgo(wanted, newLock(), Duration.ZERO);
        try (TestLocks instance = TestLocks.of(TestInstance.open(one.instance().schema()))) {
            Timer held = instance.meters().get("statehouse.lock.held").timer();
            CountDownLatch looked = new CountDownLatch(1);
            instance.ledger().afterLook = looked::countDown;
            instance.ledger().beforeAppend = entries -> await(looked);
            instance.locks().release(id, inPeace);
            assertThat(held.totalTime(TimeUnit.MINUTES)).isBetween(10.0, 15.0);
            instance.locks().release(wanted, waitedFor);
            assertThat(held.totalTime(TimeUnit.MINUTES)).isBetween(30.0, 40.0);
            instance.locks().release(id, inPeace);
            instance.locks().release(wanted, waitedFor);
            instance.locks().release(new StateId(id.value() + "-free"), newLock());
            assertThat(held.count()).isEqualTo(2);
        }
    }

    @Test
    void whoReleasesInPeaceLooksOnceAndWhoseLeaseWasBrokenIsTold() {
        try (TestLocks instance = TestLocks.of(TestInstance.open(one.instance().schema()))) {
            CountDownLatch looked = new CountDownLatch(1);
            Lease held = acquire(instance.locks(), newLock(), LONG, Duration.ZERO);
            int before = instance.ledger().looks.get();
            instance.ledger().afterLook = looked::countDown;
            instance.ledger().beforeAppend = entries -> await(looked);
            instance.locks().release(id, held.lockId());
            assertThat(instance.ledger().looks.get() - before).isEqualTo(1);
            assertThat(instance.locks().find(id)).isEmpty();
            Lease broken = acquire(instance.locks(), newLock(), LONG, Duration.ZERO);
            one().breakLease(id, broken.fencingToken());
            assertThatThrownBy(() -> instance.locks().release(id, broken.lockId())).isInstanceOf(Conflict.class);
        }
    }

    @Test
    void whoReleasesIsToldHowManyWaitThoughAllOfThemWaitElsewhere() {
        try (TestLocks instance = TestLocks.of(TestInstance.open(one.instance().schema()))) {
            Lease held = acquire(instance.locks(), newLock(), LONG, Duration.ZERO);
            for (int i = 0; i < 3; i++) {
                two.ledger()
                        .append(List
                                .of(Entry.request(id, "r" + i + id.value(), "lock " + i, "waits", LONG.toMillis())));
            }
            CountDownLatch looked = new CountDownLatch(1);
            instance.ledger().afterLook = looked::countDown;
            instance.ledger().beforeAppend = entries -> await(looked);
            assertThat(instance.locks().release(id, held.lockId())).as("one of them has it now").isEqualTo(2);
        }
    }

    /** What was seen besides is too old to tell, so it is looked again. */
    @Test
    void whoseReleaseTakesLongerThanTheLeaseLooksAfterwards() {
        try (TestLocks instance = TestLocks.of(TestInstance.open(one.instance().schema()))) {
            Lease held = acquire(instance.locks(), newLock(), LONG, Duration.ZERO);
            CountDownLatch looked = new CountDownLatch(1);
            instance.ledger().afterLook = looked::countDown;
            instance.ledger().beforeAppend = entries -> await(looked);
            instance.ledger().afterAppend = entries -> instance.instance().jump(LONG);
            int before = instance.ledger().looks.get();
            instance.locks().release(id, held.lockId());
            assertThat(instance.ledger().looks.get() - before).isEqualTo(2);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Nobody here looks for a minute, so it is the release that tells the waiter of its turn. */
    @Test
    void whatIsReleasedHereIsHandedOverAtOnce() throws Exception {
        try (TestLocks instance = TestLocks.of(TestInstance.open(one.instance().schema()), Duration.ofMinutes(1))) {
            Lease holder = acquire(instance.locks(), newLock(), LONG, Duration.ZERO);
            Future<Lease> waiter = call(() -> acquire(instance.locks(), newLock(), LONG, Duration.ofSeconds(45)));
            awaitWaiting(1);
            Thread.sleep(500);
            instance.locks().release(id, holder.lockId());
            assertThat(waiter.get(10, TimeUnit.SECONDS).fencingToken()).isGreaterThan(holder.fencingToken());
        }
    }

    /** Nobody else knows the name of such a lock, so that it would be held by nobody for all its time. */
    @Test
    void whatIsGrantedWhenItsCallerHasGoneIsLetGo() throws Exception {
        Lease holder = acquire(one(), LONG);
        TestLocks instance = another();
        AtomicBoolean gone = new AtomicBoolean();
        instance.ledger().afterAppend = entries -> {
            if (has(entries, Event.RENEW)) {
                gone.set(true);
            }
        };
        Future<Lease> waiter = call(() -> instance.locks()
                .acquire(new AcquireRequest(id, newLock(), false, "unnamed", LONG, LONG), gone::get));
        awaitWaiting(1);
        one().release(id, holder.lockId());
        assertThatThrownBy(() -> get(waiter)).hasCauseInstanceOf(Locked.class);
        assertThat(gone).isTrue();
        long end = System.nanoTime() + AT_MOST.toNanos();
        while (one().find(id).isPresent() && System.nanoTime() < end) {
            Thread.sleep(20);
        }
        assertThat(one().find(id)).isEmpty();
    }

    @Test
    void aWaiterWhosePlaceWasLostAsksAnew() throws Exception {
        Lease holder = acquire(one(), LONG);
        TestLocks instance = another();
        AtomicBoolean late = new AtomicBoolean();
        instance.ledger().beforeAppend = entries -> {
            if (has(entries, Event.WAIT) && late.compareAndSet(false, true)) {
                instance.instance().time().sleep(Duration.ofMillis(6_500));
            }
        };
        Future<Lease> waiter = waiter(instance.locks(), newLock(), LONG);
        awaitWaiting(1);
        awaitWaiting(0);
        awaitWaiting(1);
        assertThat(rows("request")).isGreaterThan(2);
        one().release(id, holder.lockId());
        get(waiter);
    }

    @Test
    void whenTheWaitIsOverEachRequestIsTakenBack() {
        acquire(one(), LONG);
        assertThatThrownBy(() -> acquire(two(), newLock(), LONG, SECOND)).isInstanceOf(Locked.class);
        assertThat(one.instance()
                .number("SELECT count() FROM $ledger WHERE state_id = ? AND event = 'leave' AND event_id IN"
                        + " (SELECT event_id FROM $ledger WHERE event = 'request')", id.value()))
                .isEqualTo(rows("request") - 1);
    }

    @Test
    void whatIsGrantedJustAsTheWaitEndsIsTold() {
        Lease holder = acquire(one(), LONG);
        TestLocks instance = another();
        instance.ledger().beforeAppend = entries -> {
            if (has(entries, Event.LEAVE)) {
                one().release(id, holder.lockId());
            }
        };
        Lease lease = acquire(instance.locks(), newLock(), LONG, NONE);
        assertThat(lease.expiresIn()).isGreaterThan(Duration.ofSeconds(50));
        assertThat(two().find(id).orElseThrow().holder().fencingToken()).isEqualTo(lease.fencingToken());
    }

    @Test
    void theWatchGoesOnAfterAFailureOfAnyKind() throws Exception {
        Lease holder = acquire(one(), LONG);
        TestLocks instance = another();
        Future<Lease> waiter = waiter(instance.locks(), newLock(), LONG);
        // The first look is the caller's own, which may yet be to come when its request can be seen; the rest are the watch's.
        for (long end = System.nanoTime() + LONG.toNanos(); instance.ledger().looks.get() < 3; Thread.sleep(5)) {
            assertThat(System.nanoTime()).as("the watch looks").isLessThan(end);
        }
        instance.ledger().beforeLook = () -> {
            throw new IllegalArgumentException("a failure that nobody foresaw");
        };
        Thread.sleep(500);
        instance.ledger().beforeLook = () -> {};
        one().release(id, holder.lockId());
        get(waiter);
    }

    /** A write that counts and whose writer died before it stored it. */
    private void announce(StateId of, String at, long version) {
        one.instance()
                .execute("INSERT INTO $ledger (state_id, event, event_id, version, completed_state, read_at, at)"
                        + " SETTINGS async_insert = 0 VALUES (?, 'write', ?, ?, '{\"left\":\"behind\"}',"
                        + " toUnixTimestamp64Milli(" + at + "), " + at + ")", of.value(), "w" + version, version);
    }

    private String stored() {
        return one.instance()
                .text("SELECT any(completed_state) FROM (SELECT * FROM $state FINAL) WHERE state_id = ?", id.value());
    }

    @Test
    void aNewHolderReadsAllThatCameBefore() {
        announce(id, "now64(3)", 1_700_000_000_000L);
        assertThat(stored()).isEmpty();
        acquire(one(), LONG);
        assertThat(stored()).isEqualTo("{\"left\":\"behind\"}");
        assertThat(one.instance()
                .number("SELECT toUnixTimestamp64Milli(max(updated_at)) FROM $state WHERE state_id = ?", id.value()))
                .isEqualTo(1_700_000_000_000L);
    }

    @Test
    void aWriteWhoseContentIsAboutToBeForgottenStopsItsIdForAWhile() {
        announce(id, "now64(3) - INTERVAL 12 MINUTE", 1_700_000_000_000L);
        refused(ProblemCode.CLICKHOUSE_UNAVAILABLE, () -> acquire(one(), LONG));
        assertThat(stored()).isEmpty();
    }

    @Test
    void anOlderOneIsLeftAlone() {
        announce(id, "now64(3) - INTERVAL 16 MINUTE", 1_700_000_000_000L);
        acquire(one(), LONG);
        assertThat(stored()).isEmpty();
    }

    @Test
    void nobodyHelpsAfterAStopWithWhatWasSeenBefore() {
        announce(id, "now64(3) - INTERVAL 8 MINUTE", 1_700_000_000_000L);
        TestLocks instance = another();
        AtomicBoolean stopped = new AtomicBoolean();
        instance.ledger().afterLook = () -> {
            if (stopped.compareAndSet(false, true)) {
                instance.instance().jump(Duration.ofMinutes(3));
            }
        };
        refused(ProblemCode.CLICKHOUSE_UNAVAILABLE, () -> acquire(instance.locks(), Duration.ofHours(1)));
        assertThat(stored()).isEmpty();
    }

    @Test
    void anExpiredHolderIsNoReasonToRefuseTheReleaseOfAnother() throws Exception {
        acquire(one(), Duration.ofSeconds(3));
        Thread.sleep(3_200);
        two().release(id, newLock());
    }
}

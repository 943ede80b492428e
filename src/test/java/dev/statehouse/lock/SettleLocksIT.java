package dev.statehouse.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.statehouse.clickhouse.TestInstance;
import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.Locked;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import dev.statehouse.testing.AddOn;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The add-on's algorithm on a table that the add-on made, with what it does not promise left out by name; what a merge of
 * that table might spoil is tested on one that the service made. Where nobody contends, who stands waits for less than a
 * second.
 */
class SettleLocksIT extends LockStrategyContract {

    private static final Duration SETTLE = Duration.ofMillis(400);
    /** Where a test contends: longer than anything stalls here. */
    private static final Duration LONG_SETTLE = Duration.ofSeconds(3);
    private static final Duration STALE_AFTER = Duration.ofSeconds(300);

    private static TestInstance one;
    private static TestInstance two;
    /** On a table that the service made. */
    private static TestInstance alone;
    private static AddOn addOn;
    private static AddOn addOnBeside;

    @BeforeAll
    static void open() {
        String schema = TestInstance.freshSchema();
        addOn = new AddOn(schema);
        addOn.createTables();
        one = TestInstance.open(schema);
        two = TestInstance.open(schema);
        alone = TestInstance.open(TestInstance.freshSchema());
        addOnBeside = new AddOn(alone.schema(), LONG_SETTLE);
    }

    @AfterAll
    static void close() {
        one.dropSchema();
        alone.dropSchema();
        two.close();
        one.close();
        alone.close();
    }

    private static LockStrategy locks(TestInstance instance, LockTable table, Duration settle, Duration staleAfter) {
        SettleLeases leases = new SettleLeases(table, staleAfter, settle.multipliedBy(2));
        return new SettleLocks(new SettleParts(table, leases, instance.time(), settle, Duration.ofMillis(250)));
    }

    private static LockStrategy locks(LockTable table) {
        return locks(one, table, SETTLE, STALE_AFTER);
    }

    @Override
    LockStrategy one() {
        return locks(one.lockTable());
    }

    @Override
    LockStrategy two() {
        return locks(two, two.lockTable(), SETTLE, STALE_AFTER);
    }

    @Override
    LockStrategy restarted() {
        return one();
    }

    /** The table knows whole seconds only. */
    @Override
    Duration shortTtl() {
        return Duration.ofSeconds(3);
    }

    @Override
    Set<String> exemptions() {
        return Set.of(
                // Best effort: one that stalls for longer than the others wait gives two holders; and a turn takes a second.
                "unguardedDataIsChangedByOneAtATimeAcrossInstances", "ofManyWhoAskAtOnceOneGetsIt",
                // A lease that is over is left for two more seconds, for it looks like one that is about to be won.
                "anExpiredLeaseIsAnothersAndLateCallsFreeNobody",
                // A renewal stamps the row anew: the time of the first stamp is forgotten.
                "renewedInTimeItLasts",
                // There is no queue: who waits is not known, and who comes next is chance.
                "waitersAreServedInOrderAcrossInstances", "whoWaitedGetsAllItsTime",
                "aWaiterLooksOnAfterItsFirstSignsOfLife",
                "aDeadWaitersPlaceLapses", "aDeadWaiterCostsTheNextSixSeconds", "theSameLockIdIsTheSamePlaceInTheQueue",
                "aWaiterGivesUpByReleasing", "aLeaseIsBrokenByItsTokenAlone", "anInstanceThatWasStartedJustNowGoesOn",
                // Nothing is remembered of a lock_id that has ended.
                "releasingAgainIsFine", "breakingAgainIsFine", "aReleasedLockIdIsSpent",
                "aReleaseBeforeItsRequestSpendsTheLockId",
                "anUnknownLockIdIsRefusedWhileAnotherHolds");
    }

    /** Runs something at each call, before it is passed on. */
    private record Seam(LockTable table, Runnable beforeLook, Runnable beforePut,
            Runnable beforeRemove) implements LockTable {

        @Override
        public Candidates of(Collection<StateId> ids) {
            beforeLook.run();
            return table.of(ids);
        }

        @Override
        public List<StateId> ids(Glob pattern, @Nullable StateId after,
                int limit) {
            return table.ids(pattern, after, limit);
        }

        @Override
        public void put(StateId id, String lockId) {
            beforePut.run();
            table.put(id, lockId);
        }

        @Override
        public void remove(StateId id, String lockId) {
            beforeRemove.run();
            table.remove(id, lockId);
        }
    }

    private static Runnable atCall(int number, Runnable what) {
        AtomicInteger calls = new AtomicInteger();
        return () -> {
            if (calls.incrementAndGet() == number) {
                what.run();
            }
        };
    }

    private static final Runnable NOTHING = () -> {};

    private static void outage() {
        throw new Unavailable(ProblemCode.CLICKHOUSE_UNAVAILABLE, "away", Duration.ofSeconds(1), null);
    }

    private List<String> rows() {
        return addOn.candidates(id.value()).stream().distinct().toList();
    }

    private List<String> rowsAlone() {
        return addOnBeside.candidates(id.value()).stream().distinct().toList();
    }

    private void awaitNoRow() throws InterruptedException {
        long start = System.nanoTime();
        while (!rows().isEmpty()) {
            assertThat(since(start)).as("a row is left behind").isLessThan(AT_MOST);
            Thread.sleep(20);
        }
    }

    private <T> Boolean isAlone(AtomicInteger inside, Callable<T> acquire, Consumer<T> release)
            throws Exception {
        T held = acquire.call();
        boolean alone = inside.incrementAndGet() == 1;
        Thread.sleep(100);
        inside.decrementAndGet();
        release.accept(held);
        return alone;
    }

    @Test
    void aFewExcludeEachOtherAndTheAddOn() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        List<Future<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            LockStrategy locks = locks(alone, alone.lockTable(), LONG_SETTLE, STALE_AFTER);
            all.add(call(() -> isAlone(inside, () -> acquire(locks, newLock(), LONG, LONG),
                    lease -> locks.release(id, lease.lockId()))));
        }
        all.add(call(() -> isAlone(inside, () -> addOnBeside.acquire(id.value()),
                lockId -> addOnBeside.release(id.value(), lockId))));
        for (Future<Boolean> each : all) {
            assertThat(get(each)).isTrue();
        }
    }

    @Test
    void aPipelineWithTheAddOnKeepsOthersOut() {
        String lockId = UUID.randomUUID().toString();
        addOn.stand(id.value(), lockId);
        refused(ProblemCode.LOCKED, () -> acquire(two(), LONG));
        assertThat(two().find(id).orElseThrow().holder().owner()).contains("Meltano add-on");
        assertThat(addOn.sees(id.value())).isEqualTo(lockId);
        addOn.release(id.value(), lockId);
        assertThat(acquire(two(), LONG).fresh()).isTrue();
    }

    @Test
    void aPipelineWithTheAddOnIsKeptOut() {
        Lease lease = acquire(one(), LONG);
        assertThat(addOn.sees(id.value())).startsWith(lease.lockId().hash()).doesNotContain(lease.lockId().text());
        one().renew(id, lease.lockId(), Duration.ofSeconds(200));
        assertThat(addOn.sees(id.value())).startsWith(lease.lockId().hash());
        two().release(id, lease.lockId());
        assertThat(addOn.sees(id.value())).isEmpty();
        assertThat(rows()).isEmpty();
    }

    /** Not after 300 s, after which the table itself forgets it. */
    @Test
    void aStaleRowOfTheAddOnIsPassedOver() {
        one.execute("INSERT INTO $lock (state_id, lock_id, locked_at) SETTINGS async_insert = 0"
                + " SELECT ?, '00000000-dead', now() - 100", id.value());
        assertThat(rows()).hasSize(1);
        refused(ProblemCode.LOCKED, () -> acquire(two(), LONG));
        LockStrategy sooner = locks(one, one.lockTable(), SETTLE, Duration.ofSeconds(90));
        assertThat(sooner.find(id)).isEmpty();
        assertThat(acquire(sooner, LONG).fresh()).isTrue();
        assertThat(rows()).hasSize(1);
    }

    @Test
    void anAddOnThatStandsTooWinsByTheLowestLockId() throws Exception {
        LockStrategy ours = locks(one, one.lockTable(), LONG_SETTLE, STALE_AFTER);
        Future<Lease> acquired = call(() -> acquire(ours, LONG));
        long start = System.nanoTime();
        while (rows().isEmpty() && since(start).compareTo(AT_MOST) < 0) {
            Thread.sleep(20);
        }
        addOn.stand(id.value(), "-lowest");
        assertThatThrownBy(() -> get(acquired)).hasCauseInstanceOf(Locked.class);
        assertThat(rows()).containsExactly("-lowest");
    }

    /** Its stamp shows that it has won, but meanwhile somebody stood that had stalled. */
    @Test
    void whoLosesAfterItsStampLeavesNothingBehind() {
        LockTable late = new Seam(alone.lockTable(), NOTHING, atCall(2, () -> addOnBeside.stand(id.value(), "-lowest")),
                NOTHING);
        refused(ProblemCode.LOCKED, () -> acquire(locks(late), LONG));
        assertThat(rowsAlone()).containsExactly("-lowest");
        addOnBeside.release(id.value(), "-lowest");
        assertThat(acquire(locks(alone.lockTable()), LONG).fresh()).isTrue();
    }

    @Test
    void whatCutsAnAcquisitionShortLeavesNothingBehind() throws Exception {
        LockTable broken = new Seam(one.lockTable(), atCall(2, () -> {
            throw new IllegalStateException("a mistake in the service itself");
        }), NOTHING, NOTHING);
        assertThatThrownBy(() -> acquire(locks(broken), LONG)).isInstanceOf(IllegalStateException.class);
        awaitNoRow();
        LockTable away = new Seam(one.lockTable(), atCall(3, SettleLocksIT::outage), NOTHING, NOTHING);
        refused(ProblemCode.CLICKHOUSE_UNAVAILABLE, () -> acquire(locks(away), LONG));
        awaitNoRow();
    }

    /** Both the row before a renewal and the one after it are there. */
    private Lease renewedInPart() {
        Lease lease = acquire(locks(alone.lockTable()), LONG);
        LockTable cut = new Seam(alone.lockTable(), NOTHING, NOTHING, atCall(1, SettleLocksIT::outage));
        refused(ProblemCode.CLICKHOUSE_UNAVAILABLE,
                () -> locks(cut).renew(id, lease.lockId(), Duration.ofSeconds(200)));
        assertThat(rowsAlone()).hasSize(2);
        return lease;
    }

    @Test
    void aRenewalThatWasCutOffIsReleasedAsAWhole() {
        Lease lease = renewedInPart();
        assertThat(locks(alone.lockTable()).release(id, lease.lockId())).isZero();
        assertThat(rowsAlone()).isEmpty();
    }

    @Test
    void aRenewalThatWasCutOffIsBrokenAsAWhole() {
        Lease lease = renewedInPart();
        locks(alone.lockTable()).breakLease(id, lease.fencingToken());
        assertThat(rowsAlone()).isEmpty();
    }

    @Test
    void aRenewalThatWasCutOffIsDoneAgain() {
        Lease lease = renewedInPart();
        Lease renewed = locks(alone.lockTable()).renew(id, lease.lockId(), Duration.ofSeconds(250));
        assertThat(rowsAlone()).hasSize(1);
        assertThat(renewed.waiting()).isZero();
        assertThat(Duration.between(renewed.acquiredAt(), renewed.expiresAt())).isEqualTo(Duration.ofSeconds(250));
    }

    /** What its holder was told before stays true. */
    @Test
    void noRenewalShortensALease() throws Exception {
        Lease lease = acquire(one(), LONG);
        Instant end = lease.expiresAt();
        for (long ttl : new long[]{60, 59, 30, 61, 1, 60}) {
            Thread.sleep(150);
            Lease renewed = two().renew(id, lease.lockId(), Duration.ofSeconds(ttl));
            assertThat(renewed.expiresAt()).as("renewed for %d s", ttl).isAfterOrEqualTo(end);
            end = renewed.expiresAt();
        }
    }

    /** Stamps are cut to the second: at the end of one, a lease of a second would be over before it has begun. */
    @Test
    void theShortestLeaseIsLiveWhenItIsGiven() throws Exception {
        for (int i = 0; i < 6; i++) {
            Lease lease = acquire(one(), SECOND);
            assertThat(lease.expiresIn()).isPositive();
            assertThat(Duration.between(lease.acquiredAt(), lease.expiresAt())).isEqualTo(Duration.ofSeconds(2));
            one().release(id, lease.lockId());
            Thread.sleep(130);
        }
    }

    @Test
    void breakingTakesTheRowAway() {
        Lease lease = acquire(one(), LONG);
        refused(ProblemCode.FENCING_TOKEN_MISMATCH, () -> two().breakLease(id, lease.fencingToken() + 1));
        two().breakLease(id, lease.fencingToken());
        assertThat(rows()).isEmpty();
        refused(ProblemCode.LOCK_LOST, () -> one().renew(id, lease.lockId(), LONG));
    }
}

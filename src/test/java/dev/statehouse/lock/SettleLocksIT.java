package dev.statehouse.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import dev.statehouse.clickhouse.TestInstance;
import dev.statehouse.problem.ProblemCode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The add-on's algorithm on the add-on's table, with what it does not promise left out by name. */
class SettleLocksIT extends LockStrategyContract {

    private static final Duration SETTLE = Duration.ofMillis(1_000);
    private static final Duration STALE_AFTER = Duration.ofSeconds(300);

    private static TestInstance one;
    private static TestInstance two;

    @BeforeAll
    static void open() {
        String schema = TestInstance.freshSchema();
        one = TestInstance.open(schema);
        two = TestInstance.open(schema);
    }

    @AfterAll
    static void close() {
        one.dropSchema();
        two.close();
        one.close();
    }

    private static LockStrategy locks(TestInstance instance) {
        SettleLeases leases = new SettleLeases(instance.lockTable(), STALE_AFTER, SETTLE.multipliedBy(2));
        return new SettleLocks(instance.lockTable(), leases, instance.time(), SETTLE, Duration.ofMillis(250));
    }

    @Override
    LockStrategy one() {
        return locks(one);
    }

    @Override
    LockStrategy two() {
        return locks(two);
    }

    @Override
    LockStrategy restarted() {
        return locks(one);
    }

    @Override
    Set<String> exemptions() {
        return Set.of(
                // Best effort: one that stalls for longer than the others wait gives two holders; and a turn takes a second.
                "unguardedDataIsChangedByOneAtATimeAcrossInstances", "ofManyWhoAskAtOnceOneGetsIt",
                // A lease that is over is left for two more seconds, for it looks like one that is about to be won.
                "anExpiredLeaseIsAnothersAndLateCallsFreeNobody",
                // A renewal stamps the row anew: the time of the first stamp, and a longer lease before, are forgotten.
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

    @Test
    void aFewExcludeEachOther() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        List<Future<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            LockStrategy locks = i % 2 == 0 ? one() : two();
            all.add(call(() -> {
                Lease lease = acquire(locks, newLock(), LONG, LONG);
                boolean alone = inside.incrementAndGet() == 1;
                Thread.sleep(100);
                inside.decrementAndGet();
                locks.release(id, lease.lockId());
                return alone;
            }));
        }
        for (Future<Boolean> each : all) {
            assertThat(get(each)).isTrue();
        }
    }

    /** The statements of the add-on itself. */
    private void addOnLocks(String lockId, Duration ago) {
        one.execute("INSERT INTO $lock (state_id, lock_id, locked_at) SETTINGS async_insert = 0 SELECT ?, ?, now() - ?",
                id.value(), lockId, ago.toSeconds());
    }

    private String addOnSeesHolder() {
        return one.text("SELECT min(lock_id) FROM $lock WHERE state_id = ? AND locked_at > now() - INTERVAL 300 SECOND",
                id.value());
    }

    @Test
    void aPipelineWithTheAddOnKeepsOthersOut() {
        String addOn = UUID.randomUUID().toString();
        addOnLocks(addOn, Duration.ZERO);
        refused(ProblemCode.LOCKED, () -> acquire(two(), LONG));
        assertThat(two().find(id).orElseThrow().holder().owner()).contains("Meltano add-on");
        assertThat(addOnSeesHolder()).isEqualTo(addOn);
        one.execute("DELETE FROM $lock WHERE state_id = ? AND lock_id = ?", id.value(), addOn);
        assertThat(acquire(two(), LONG).fresh()).isTrue();
    }

    @Test
    void aPipelineWithTheAddOnIsKeptOut() {
        Lease lease = acquire(one(), LONG);
        assertThat(addOnSeesHolder()).startsWith(lease.lockId().hash());
        assertThat(addOnSeesHolder()).doesNotContain(lease.lockId().text());
        two().release(id, lease.lockId());
        assertThat(addOnSeesHolder()).isEmpty();
    }

    @Test
    void aStaleRowOfTheAddOnIsPassedOver() {
        addOnLocks("00000000-dead", Duration.ofSeconds(310));
        assertThat(two().find(id)).isEmpty();
        assertThat(acquire(two(), LONG).fresh()).isTrue();
    }

    @Test
    void anAddOnThatCameFirstWinsByTheLowestLockId() {
        Future<Object> ours = call(() -> {
            try {
                return acquire(one(), LONG);
            } catch (dev.statehouse.problem.Locked locked) {
                return locked;
            }
        });
        long start = System.nanoTime();
        while (addOnSeesHolder().isEmpty() && since(start).compareTo(Duration.ofSeconds(30)) < 0) {
            Thread.onSpinWait();
        }
        addOnLocks("-lowest", Duration.ZERO);
        try {
            assertThat(get(ours)).isInstanceOf(dev.statehouse.problem.Locked.class);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        assertThat(addOnSeesHolder()).isEqualTo("-lowest");
    }

    @Test
    void breakingTakesTheRowAway() {
        Lease lease = acquire(one(), LONG);
        refused(ProblemCode.FENCING_TOKEN_MISMATCH, () -> two().breakLease(id, lease.fencingToken() + 1));
        two().breakLease(id, lease.fencingToken());
        refused(ProblemCode.LOCK_LOST, () -> one().renew(id, lease.lockId(), LONG));
    }
}

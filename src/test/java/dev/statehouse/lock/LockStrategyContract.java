package dev.statehouse.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import dev.statehouse.id.Glob;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.Conflict;
import dev.statehouse.problem.Locked;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What every strategy of locks does, across two instances of the service. Each test has ids of its own, so that they run
 * side by side. What a strategy does not promise, its subclass names in {@link #exemptions()}.
 */
@Execution(ExecutionMode.CONCURRENT)
abstract class LockStrategyContract {

    static final Duration SECOND = Duration.ofSeconds(1);
    static final Duration LONG = Duration.ofSeconds(60);
    static final Duration NONE = Duration.ZERO;
    /** Of what takes 8 s or less where the machine has nothing else to do; far below {@link #LONG}. */
    static final Duration AT_MOST = Duration.ofSeconds(16);
    static final BooleanSupplier STAYS = () -> false;

    private static final ExecutorService CALLERS = Executors.newVirtualThreadPerTaskExecutor();

    final StateId id = new StateId("contract:" + UUID.randomUUID());

    /** Two instances of the service over one store, the same ones for all tests. */
    abstract LockStrategy one();

    abstract LockStrategy two();

    /** An instance that was started just now. */
    abstract LockStrategy restarted();

    /** A lease of which the strategy can be relied upon to give the better part; to see it end, the less the better. */
    Duration shortTtl() {
        return SECOND;
    }

    /** Until a lease of that length, acquired or renewed before, is over. */
    void awaitItsEnd() throws InterruptedException {
        Thread.sleep(shortTtl().plusMillis(200));
    }

    /** Names of tests of this class that the strategy does not pass, because it does not promise what they ask. */
    Set<String> exemptions() {
        return Set.of();
    }

    @BeforeEach
    void exempt(TestInfo test) {
        assumeFalse(exemptions().contains(test.getTestMethod().orElseThrow().getName()), "exempted by its strategy");
    }

    static LockId newLock() {
        return new LockId(UUID.randomUUID());
    }

    AcquireRequest request(LockId lockId, String owner, Duration ttl, Duration patience) {
        return new AcquireRequest(id, lockId, true, owner, ttl, patience);
    }

    Lease acquire(LockStrategy locks, LockId lockId, Duration ttl, Duration patience) {
        return locks.acquire(request(lockId, "owner", ttl, patience), STAYS);
    }

    Lease acquire(LockStrategy locks, Duration ttl) {
        return acquire(locks, newLock(), ttl, NONE);
    }

    static <T> Future<T> call(Callable<T> call) {
        return CALLERS.submit(call);
    }

    Future<Lease> waiter(LockStrategy locks, LockId lockId, Duration ttl) {
        return call(() -> acquire(locks, lockId, ttl, LONG));
    }

    static <T> T get(Future<T> future) throws Exception {
        return future.get(90, TimeUnit.SECONDS);
    }

    int waiting() {
        return one().find(id).map(HeldLock::waiting).orElse(0);
    }

    /** Waits until so many wait for the lock. */
    void awaitWaiting(int number) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(40).toNanos();
        while (waiting() != number) {
            assertThat(System.nanoTime()).as("%d wait, not %d", waiting(), number).isLessThan(end);
            Thread.sleep(20);
        }
    }

    static void refused(ProblemCode code, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(Problem.class,
                problem -> assertThat(problem.code()).isEqualTo(code));
    }

    void isLost(Lease lease) {
        refused(ProblemCode.LOCK_LOST, () -> one().renew(id, lease.lockId(), LONG));
        refused(ProblemCode.LOCK_LOST, () -> two().release(id, lease.lockId()));
    }

    static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    @Test
    void everyExemptionNamesATest() {
        assertThat(Stream.of(LockStrategyContract.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> method.getName())).containsAll(exemptions());
    }

    @Test
    void unguardedDataIsChangedByOneAtATimeAcrossInstances() throws Exception {
        int threads = 6;
        int bumps = 8;
        long[] unguarded = new long[2];
        AtomicBoolean broken = new AtomicBoolean();
        List<Future<Long>> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            LockStrategy locks = t % 2 == 0 ? one() : two();
            all.add(call(() -> {
                for (int i = 0; i < bumps; i++) {
                    Lease lease = acquire(locks, newLock(), Duration.ofSeconds(20), Duration.ofSeconds(80));
                    long seen = unguarded[0];
                    if (lease.fencingToken() <= unguarded[1]) {
                        broken.set(true);
                    }
                    Thread.sleep(2);
                    unguarded[1] = lease.fencingToken();
                    unguarded[0] = seen + 1;
                    locks.release(id, lease.lockId());
                }
                return 0L;
            }));
        }
        for (Future<Long> one : all) {
            get(one);
        }
        assertThat(unguarded[0]).isEqualTo(threads * bumps);
        assertThat(broken).as("a token that did not grow").isFalse();
    }

    @Test
    void ofManyWhoAskAtOnceOneGetsIt() throws Exception {
        List<Future<Object>> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            LockStrategy locks = i % 2 == 0 ? one() : two();
            all.add(call(() -> {
                try {
                    return acquire(locks, LONG);
                } catch (Locked locked) {
                    return locked;
                }
            }));
        }
        List<Object> answers = new ArrayList<>();
        for (Future<Object> one : all) {
            answers.add(get(one));
        }
        assertThat(answers).filteredOn(Lease.class::isInstance).hasSize(1);
        assertThat(two().find(id)).isPresent();
    }

    @Test
    void twoNamesAreIndependent() {
        Lease lease = acquire(one(), LONG);
        StateId other = new StateId(id.value() + "/other");
        Lease second = two().acquire(new AcquireRequest(other, newLock(), true, "b", LONG, NONE), STAYS);
        assertThat(second.stateId()).isEqualTo(other);
        one().release(other, second.lockId());
        assertThat(two().find(other)).isEmpty();
        assertThat(two().find(id)).isPresent();
        assertThat(one().renew(id, lease.lockId(), LONG).fencingToken()).isEqualTo(lease.fencingToken());
    }

    @Test
    void whoHoldsIsToldAndTheSecretIsNot() {
        LockId lockId = newLock();
        Lease lease = one().acquire(request(lockId, "run 4711 ☃", Duration.ofSeconds(30), NONE), STAYS);
        assertThat(lease.lockId()).isEqualTo(lockId);
        assertThat(lease.owner()).isEqualTo("run 4711 ☃");
        assertThat(lease.fresh()).isTrue();
        assertThat(lease.waiting()).isZero();
        assertThat(Duration.between(lease.acquiredAt(), lease.expiresAt())).isEqualTo(Duration.ofSeconds(30));
        assertThat(lease.expiresIn()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(30));
        HeldLock held = two().find(id).orElseThrow();
        assertThat(held.holder()).isEqualTo(new Locked.Holder(id, "run 4711 ☃", lease.fencingToken(),
                lease.acquiredAt(), lease.expiresAt()));
        assertThatThrownBy(() -> acquire(two(), LONG)).isInstanceOfSatisfying(Locked.class, locked -> {
            assertThat(String.valueOf(locked.members().get("holder"))).contains("run 4711 ☃")
                    .doesNotContain(lockId.text());
            assertThat(locked.detail()).doesNotContain(lockId.text());
            assertThat(locked.waiting()).hasValue(0);
        });
    }

    @Test
    void afterAReleaseItIsFreeForAll() {
        Lease first = acquire(one(), LONG);
        refused(ProblemCode.LOCKED, () -> acquire(two(), LONG));
        assertThat(one().release(id, first.lockId())).isZero();
        assertThat(two().find(id)).isEmpty();
        Lease second = acquire(two(), LONG);
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(second.fresh()).isTrue();
    }

    @Test
    void anExpiredLeaseIsAnothersAndLateCallsFreeNobody() throws Exception {
        Lease first = acquire(one(), shortTtl());
        awaitItsEnd();
        assertThat(one().find(id)).as("expired").isEmpty();
        Lease second = acquire(two(), LONG);
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        isLost(first);
        assertThat(one().find(id).orElseThrow().holder().fencingToken()).isEqualTo(second.fencingToken());
        assertThat(one().renew(id, second.lockId(), LONG).fencingToken()).isEqualTo(second.fencingToken());
    }

    @Test
    void renewedInTimeItLasts() throws Exception {
        Lease lease = acquire(one(), Duration.ofSeconds(3));
        Lease renewed = two().renew(id, lease.lockId(), Duration.ofSeconds(30));
        assertThat(renewed.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(renewed.acquiredAt()).isEqualTo(lease.acquiredAt());
        assertThat(renewed.expiresIn()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(30));
        Lease notShortened = one().renew(id, lease.lockId(), SECOND);
        assertThat(notShortened.expiresAt()).isEqualTo(renewed.expiresAt());
        Thread.sleep(3_200);
        refused(ProblemCode.LOCKED, () -> acquire(two(), LONG));
    }

    @Test
    void renewedTooLateItIsLostThoughNobodyTookIt() throws Exception {
        Lease lease = acquire(one(), shortTtl());
        awaitItsEnd();
        refused(ProblemCode.LOCK_LOST, () -> two().renew(id, lease.lockId(), LONG));
        isLost(lease);
        assertThat(one().find(id)).isEmpty();
    }

    @Test
    void waitersAreServedInOrderAcrossInstances() throws Exception {
        Lease holder = acquire(one(), LONG);
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<Future<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            LockStrategy locks = i % 2 == 0 ? two() : one();
            waiters.add(call(() -> {
                Lease lease = acquire(locks, newLock(), LONG, LONG);
                served.add(number);
                locks.release(id, lease.lockId());
                return lease;
            }));
            awaitWaiting(i + 1);
        }
        assertThat(one().renew(id, holder.lockId(), LONG).waiting()).isEqualTo(5);
        assertThat(two().release(id, holder.lockId())).as("those who still wait").isEqualTo(4);
        long token = holder.fencingToken();
        for (Future<Lease> waiter : waiters) {
            Lease lease = get(waiter);
            assertThat(lease.fencingToken()).isGreaterThan(token);
            token = lease.fencingToken();
        }
        assertThat(served).containsExactly(0, 1, 2, 3, 4);
        assertThat(one().find(id)).isEmpty();
    }

    @Test
    void aWaiterTakesWhatExpires() throws Exception {
        Lease first = acquire(one(), shortTtl());
        long deadline = System.nanoTime() + first.expiresIn().toNanos();
        Lease second = acquire(two(), newLock(), LONG, LONG);
        assertThat(System.nanoTime() - deadline).as("the first was told it had longer").isGreaterThanOrEqualTo(0);
        assertThat(second.acquiredAt()).isAfter(first.expiresAt());
        assertThat(since(deadline)).isLessThan(AT_MOST);
    }

    @Test
    void whoWaitedGetsAllItsTime() throws Exception {
        Lease first = acquire(one(), LONG);
        Future<Lease> waiter = waiter(two(), newLock(), Duration.ofSeconds(30));
        awaitWaiting(1);
        one().release(id, first.lockId());
        Lease second = get(waiter);
        assertThat(second.expiresIn()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(30));
        assertThat(second.fresh()).isTrue();
    }

    @Test
    void aWaitEndsInTimeAndLeavesNothingBehind() throws Exception {
        Lease lease = acquire(one(), Duration.ofSeconds(30));
        long start = System.nanoTime();
        assertThatThrownBy(() -> acquire(two(), newLock(), LONG, SECOND)).isInstanceOf(Locked.class);
        assertThat(since(start)).isBetween(SECOND, AT_MOST);
        assertThat(waiting()).isZero();
        one().release(id, lease.lockId());
        assertThat(acquire(two(), LONG).fresh()).isTrue();
    }

    @Test
    void aWaiterLooksOnAfterItsFirstSignsOfLife() throws Exception {
        Lease lease = acquire(one(), LONG);
        Future<Lease> waiter = waiter(two(), newLock(), LONG);
        awaitWaiting(1);
        long start = System.nanoTime();
        while (since(start).compareTo(Duration.ofSeconds(8)) < 0) {
            assertThat(waiting()).isEqualTo(1);
            Thread.sleep(250);
        }
        one().release(id, lease.lockId());
        get(waiter);
    }

    @Test
    void aDeadWaitersPlaceLapses() throws Exception {
        Lease lease = acquire(one(), LONG);
        AtomicBoolean gone = new AtomicBoolean();
        Future<Lease> dead = call(() -> two().acquire(request(newLock(), "dead", LONG, LONG), gone::get));
        awaitWaiting(1);
        gone.set(true);
        assertThatThrownBy(() -> get(dead)).hasCauseInstanceOf(Locked.class);
        long start = System.nanoTime();
        awaitWaiting(0);
        assertThat(since(start)).isLessThan(AT_MOST);
        one().release(id, lease.lockId());
        assertThat(one().find(id)).isEmpty();
    }

    @Test
    void aDeadWaiterCostsTheNextSixSeconds() throws Exception {
        Lease lease = acquire(one(), LONG);
        AtomicBoolean gone = new AtomicBoolean();
        Future<Lease> dead = call(() -> two().acquire(request(newLock(), "dead", LONG, LONG), gone::get));
        awaitWaiting(1);
        Future<Lease> next = waiter(one(), newLock(), LONG);
        awaitWaiting(2);
        gone.set(true);
        assertThatThrownBy(() -> get(dead)).hasCauseInstanceOf(Locked.class);
        long start = System.nanoTime();
        one().release(id, lease.lockId());
        assertThat(one().find(id).orElseThrow().holder().owner()).isEqualTo("dead");
        get(next);
        assertThat(since(start)).isBetween(Duration.ofSeconds(5), AT_MOST);
    }

    @Test
    void theSameLockIdIsTheSameLease() {
        LockId lockId = newLock();
        Lease first = acquire(one(), lockId, LONG, NONE);
        Lease again = acquire(two(), lockId, Duration.ofSeconds(600), SECOND);
        assertThat(first.fresh()).isTrue();
        assertThat(again.fresh()).isFalse();
        assertThat(again.fencingToken()).isEqualTo(first.fencingToken());
        assertThat(again.expiresAt()).isEqualTo(first.expiresAt());
        assertThat(again.acquiredAt()).isEqualTo(first.acquiredAt());
    }

    @Test
    void theSameLockIdIsTheSamePlaceInTheQueue() throws Exception {
        Lease holder = acquire(one(), LONG);
        LockId patient = newLock();
        AtomicBoolean cut = new AtomicBoolean();
        Future<Lease> first = call(() -> two().acquire(request(patient, "patient", LONG, LONG), cut::get));
        awaitWaiting(1);
        Future<Lease> second = waiter(one(), newLock(), LONG);
        awaitWaiting(2);
        cut.set(true);
        assertThatThrownBy(() -> get(first)).hasCauseInstanceOf(Locked.class);
        Future<Lease> again = waiter(one(), patient, LONG);
        Future<Lease> andAgain = waiter(two(), patient, LONG);
        Thread.sleep(500);
        assertThat(waiting()).isEqualTo(2);
        one().release(id, holder.lockId());
        Lease lease = get(again);
        assertThat(get(andAgain).fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(second.isDone()).isFalse();
        two().release(id, patient);
        assertThat(get(second).fencingToken()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void releasingAgainIsFine() {
        Lease lease = acquire(one(), LONG);
        one().release(id, lease.lockId());
        two().release(id, lease.lockId());
        Lease next = acquire(two(), LONG);
        one().release(id, lease.lockId());
        assertThat(one().find(id).orElseThrow().holder().fencingToken()).isEqualTo(next.fencingToken());
    }

    @Test
    void aReleasedLockIdIsSpent() {
        Lease lease = acquire(one(), LONG);
        one().release(id, lease.lockId());
        refused(ProblemCode.LOCK_LOST, () -> acquire(two(), lease.lockId(), LONG, NONE));
        refused(ProblemCode.LOCK_LOST, () -> one().renew(id, lease.lockId(), LONG));
        assertThat(two().find(id)).isEmpty();
    }

    @Test
    void aReleaseBeforeItsRequestSpendsTheLockId() {
        LockId early = newLock();
        one().release(id, early);
        refused(ProblemCode.LOCK_LOST, () -> acquire(two(), early, LONG, NONE));
        assertThat(two().find(id)).isEmpty();
    }

    @Test
    void anUnknownLockIdIsRefusedWhileAnotherHolds() {
        LockId unknown = newLock();
        Lease lease = acquire(one(), LONG);
        refused(ProblemCode.LOCK_LOST, () -> two().release(id, unknown));
        assertThat(one().find(id).orElseThrow().holder().fencingToken()).isEqualTo(lease.fencingToken());
        refused(ProblemCode.LOCK_LOST, () -> acquire(one(), unknown, LONG, NONE));
    }

    @Test
    void aWaiterGivesUpByReleasing() throws Exception {
        Lease holder = acquire(one(), LONG);
        LockId lockId = newLock();
        Future<Lease> waiter = waiter(two(), lockId, LONG);
        awaitWaiting(1);
        one().release(id, lockId);
        assertThat(waiting()).isZero();
        assertThatThrownBy(() -> get(waiter)).hasCauseInstanceOf(Conflict.class);
        one().renew(id, holder.lockId(), LONG);
    }

    @Test
    void aLeaseIsBrokenByItsTokenAlone() throws Exception {
        Lease holder = acquire(one(), LONG);
        Future<Lease> waiter = waiter(two(), newLock(), LONG);
        awaitWaiting(1);
        long token = holder.fencingToken();
        refused(ProblemCode.FENCING_TOKEN_MISMATCH, () -> two().breakLease(id, token - 1));
        refused(ProblemCode.FENCING_TOKEN_MISMATCH, () -> two().breakLease(id, token + 1));
        one().renew(id, holder.lockId(), LONG);
        two().breakLease(id, token);
        Lease next = get(waiter);
        isLost(holder);
        refused(ProblemCode.FENCING_TOKEN_MISMATCH, () -> one().breakLease(id, token));
        assertThat(one().find(id).orElseThrow().holder().fencingToken()).isEqualTo(next.fencingToken());
    }

    @Test
    void breakingAgainIsFine() {
        Lease holder = acquire(one(), LONG);
        refused(ProblemCode.FENCING_TOKEN_MISMATCH, () -> one().breakLease(new StateId(id.value() + "x"), 5));
        one().breakLease(id, holder.fencingToken());
        two().breakLease(id, holder.fencingToken());
        assertThat(two().find(id)).isEmpty();
        isLost(holder);
        assertThat(acquire(two(), LONG).fencingToken()).isGreaterThan(holder.fencingToken());
    }

    @Test
    void anInstanceThatWasStartedJustNowGoesOn() throws Exception {
        Lease lease = acquire(one(), LONG);
        Future<Lease> waiter = waiter(two(), newLock(), LONG);
        awaitWaiting(1);
        LockStrategy started = restarted();
        assertThat(started.find(id).orElseThrow().waiting()).isEqualTo(1);
        assertThat(started.renew(id, lease.lockId(), LONG).fencingToken()).isEqualTo(lease.fencingToken());
        refused(ProblemCode.LOCKED, () -> acquire(started, LONG));
        started.release(id, lease.lockId());
        assertThat(get(waiter).fencingToken()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void nobodyIsToldThatItHasLongerThanItHas() {
        for (int i = 0; i < 5; i++) {
            Lease lease = acquire(i % 2 == 0 ? one() : two(), Duration.ofSeconds(9));
            assertThat(lease.expiresIn()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(9));
            one().release(id, lease.lockId());
        }
    }

    @Test
    void listsWhatIsHeldInTheOrderOfIds() {
        String prefix = "list:" + UUID.randomUUID() + ":";
        List<String> names = List.of("b", "a", "ä", "A", "a/b");
        for (String name : names) {
            one().acquire(new AcquireRequest(new StateId(prefix + name), newLock(), true, "o", LONG, NONE), STAYS);
        }
        LockId released = newLock();
        StateId free = new StateId(prefix + "free");
        one().acquire(new AcquireRequest(free, released, true, "o", LONG, NONE), STAYS);
        one().release(free, released);
        Glob all = new Glob(prefix + "*");
        assertThat(two().list(all, null, 100)).extracting(held -> held.holder().stateId().value().substring(42))
                .containsExactly("A", "a", "a/b", "b", "ä");
        assertThat(two().list(all, new StateId(prefix + "a"), 2))
                .extracting(held -> held.holder().stateId().value().substring(42))
                .containsExactly("a/b", "b");
        assertThat(two().list(new Glob(prefix + "[ab]"), null, 100)).hasSize(2);
    }

    @Test
    void tokensGrowAcrossRestarts() {
        long token = 0;
        for (int i = 0; i < 4; i++) {
            LockStrategy locks = i == 2 ? restarted() : i % 2 == 0 ? one() : two();
            Lease lease = acquire(locks, LONG);
            assertThat(lease.fencingToken()).isGreaterThan(token);
            token = lease.fencingToken();
            locks.release(id, lease.lockId());
        }
    }
}

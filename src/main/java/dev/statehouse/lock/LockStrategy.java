package dev.statehouse.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import dev.statehouse.id.Glob;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import org.jspecify.annotations.Nullable;

/**
 * The port of locks: leases on state ids. Every method throws {@link dev.statehouse.problem.Unavailable} where the store
 * cannot be asked.
 */
interface LockStrategy {

    /**
     * @param callerGone whether nobody waits for the answer any more; asked now and then on the calling thread
     * @throws dev.statehouse.problem.Locked if somebody else has it and the waiting time is over
     * @throws dev.statehouse.problem.Conflict if that lock_id has ended
     */
    Lease acquire(AcquireRequest request, BooleanSupplier callerGone);

    /**
     * Prolongs the lease to this time from now, if that is later than its present end.
     *
     * @throws dev.statehouse.problem.Conflict if it has ended
     */
    Lease renew(StateId id, LockId lockId, Duration ttl);

    /**
     * Ends the lease, or the wait for it; again is fine.
     *
     * @return how many wait for the lock
     * @throws dev.statehouse.problem.Conflict if it had ended without being released, or another holds the lock
     */
    int release(StateId id, LockId lockId);

    /**
     * Ends the lease of that token, whoever holds it; again is fine.
     *
     * @throws dev.statehouse.problem.Conflict if the lock is held under another token, or was
     */
    void breakLease(StateId id, long fencingToken);

    /** How many wait for the lock now, whether or not somebody holds it. */
    int waiting(StateId id);

    /** @return empty if nobody holds it */
    Optional<HeldLock> find(StateId id);

    /**
     * What is held, in byte order of the ids.
     *
     * @param after only ids behind this one; null for all
     */
    List<HeldLock> list(Glob pattern, @Nullable StateId after, int limit);
}

package dev.statehouse.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.statehouse.id.StateId;
import dev.statehouse.id.Timestamps;
import dev.statehouse.ledger.Holder;
import dev.statehouse.problem.Conflict;
import dev.statehouse.problem.Locked;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/** How it is said that a lock is held, or lost. */
public final class LockProblems {

    /** Not the rest of the lease: most holders let go long before it is over. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(1);

    private LockProblems() {}

    /** @param holder null where nobody holds it, but others wait */
    public static Locked locked(StateId id, @Nullable Holder holder, int waiting) {
        if (holder == null) {
            return new Locked("The lock of '" + id + "' is about to go to one of those who wait for it.", List.of(),
                    waiting, ASK_AGAIN);
        }
        return locked(List.of(held(id, holder)), waiting);
    }

    public static Locked locked(LiveLease lease) {
        return locked(List.of(lease.holder()), lease.waiting());
    }

    /** @param holders who holds what, one at least */
    public static Locked locked(List<Locked.Holder> holders, int waiting) {
        Locked.Holder first = holders.getFirst();
        String more = holders.size() == 1 ? "" : " (and %,d more are locked)".formatted(holders.size() - 1);
        return new Locked("'%s' is locked by '%s' until %s%s. Wait for the lock (POST /locks, wait_seconds), or"
                .formatted(first.stateId(), first.owner(), Timestamps.format(first.expiresAt()), more)
                + " name the lease in Lock-Token if it is yours.", holders, waiting, ASK_AGAIN);
    }

    /** The holder as anybody may see it. */
    public static Locked.Holder held(StateId id, Holder holder) {
        return new Locked.Holder(id, holder.owner(), holder.fencingToken(), Instant.ofEpochMilli(holder.acquiredAt()),
                Instant.ofEpochMilli(holder.expiresAt()));
    }

    /** Of a call that names a lease which is on none of the ids that it touches. */
    public static Conflict lost() {
        return new Conflict(ProblemCode.LOCK_LOST,
                "A lease in Lock-Token is live on none of the ids of this call: it has"
                        + " ended, or is of another id. Nothing was written.");
    }

    public static Conflict lost(StateId id) {
        return new Conflict(ProblemCode.LOCK_LOST, "This lease of '" + id + "' has ended: it expired, was released, was"
                + " broken, or another holds the lock now; or there never was one with this lock_id. Stop what you do"
                + " under it, and acquire the lock anew with a new lock_id.");
    }
}

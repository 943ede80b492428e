package dev.statehouse.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import dev.statehouse.id.Glob;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Holder;
import dev.statehouse.ledger.Look;
import dev.statehouse.problem.Conflict;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/**
 * Locks by the ledger: each call appends what it wants, looks at the log, and answers what the log says came of it.
 * {@link Acquisition} and {@link Release} have the steps of the longer ones.
 */
final class LedgerLocks implements LockStrategy {

    private final LedgerParts parts;
    private final Watches watches;

    LedgerLocks(LedgerParts parts, Watches watches) {
        this.parts = parts;
        this.watches = watches;
    }

    @Override
    public Lease acquire(AcquireRequest request, BooleanSupplier callerGone) {
        return new Acquisition(this, parts, watches, request, callerGone).run();
    }

    /** One look, which also keeps the snapshots up. */
    Sight look(StateId id) {
        return kept(glance(id));
    }

    /** As {@link #look}, and it can tell what was before a row that was appended since. */
    Sight lookBack(StateId id, long since) {
        return kept(glanceBack(id, since));
    }

    private Sight glance(StateId id) {
        return told(id, () -> parts.ledger().look(List.of(id)));
    }

    /** As {@link #lookBack}, but leaves the snapshots alone. */
    Sight glanceBack(StateId id, long since) {
        return told(id, () -> parts.ledger().lookBack(id, since));
    }

    boolean anybodyWaitsHere(StateId id) {
        return watches.anybodyWaits(id);
    }

    /** Who waits here for what a call here lets go hears of it at once. */
    private Sight told(StateId id, Supplier<Look> question) {
        Sight sight = Sight.of(id, parts.appender().ask(question));
        watches.tell(sight);
        return sight;
    }

    private Sight kept(Sight sight) {
        parts.snapshots().keepUp(sight.id(), sight.look().fold(sight.id()));
        return sight;
    }

    @Override
    public Lease renew(StateId id, LockId lockId, Duration ttl) {
        parts.appender().append(Entry.renew(id, parts.ids().next(), lockId.hash(), ttl.toMillis()));
        Sight sight = look(id);
        return lease(sight, lockId, false).orElseThrow(() -> LockProblems.lost(id).underLease(sight.queue().size()));
    }

    /** @return empty if that lock does not hold the lease, or not for long enough to say so */
    Optional<Lease> lease(Sight sight, LockId lockId, boolean fresh) {
        return sight.holder()
                .filter(holder -> holder.lock().equals(lockId.hash()))
                .map(holder -> lease(sight, holder, lockId, fresh))
                .filter(lease -> lease.expiresIn().isPositive());
    }

    private Lease lease(Sight sight, Holder holder, LockId lockId, boolean fresh) {
        Duration remaining = sight.remaining(holder, parts.time().since(sight.look().sentAt()));
        return new Lease(sight.id(), lockId, holder.owner(), holder.fencingToken(),
                Instant.ofEpochMilli(holder.acquiredAt()), Instant.ofEpochMilli(holder.expiresAt()), remaining, fresh,
                sight.queue().size());
    }

    @Override
    public int release(StateId id, LockId lockId) {
        return new Release(this, parts, id, lockId).run();
    }

    @Override
    public void breakLease(StateId id, long fencingToken) {
        FoldState state = glance(id).state();
        Holder holder = state.holder();
        if (holder != null && holder.fencingToken() == fencingToken) {
            parts.appender().append(Entry.breaking(id, parts.ids().next(), fencingToken));
        } else if (holder != null || state.lastToken() != fencingToken) {
            throw new Conflict(ProblemCode.FENCING_TOKEN_MISMATCH, "The lock of '" + id + "' is not held under the"
                    + " fencing token " + fencingToken + ". Look at it again before breaking it.");
        }
    }

    @Override
    public Optional<HeldLock> find(StateId id) {
        return held(glance(id));
    }

    @Override
    public int waiting(StateId id) {
        return glance(id).queue().size();
    }

    private static Optional<HeldLock> held(Sight sight) {
        return sight.holder()
                .map(holder -> new HeldLock(LockProblems.held(sight.id(), holder), sight.queue().size()));
    }

    @Override
    public List<HeldLock> list(Glob pattern, @Nullable StateId after, int limit) {
        return new LedgerLeases(parts.ledger()).live(pattern, after, limit)
                .stream()
                .map(lease -> new HeldLock(lease.holder(), lease.waiting()))
                .toList();
    }
}

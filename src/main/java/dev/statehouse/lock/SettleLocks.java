package dev.statehouse.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import dev.statehouse.id.Glob;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Time;
import dev.statehouse.problem.Conflict;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/**
 * Locks by the algorithm and on the table of the Meltano add-on for ClickHouse, so that pipelines with either exclude each
 * other. Best effort: one that stalls before it puts its row there gives two holders, and so may, in a table that the add-on
 * made, a merge. {@link SettleAcquisition} has the steps of acquiring.
 * <p>
 * Left out beside the {@code ledger}: an order of waiters, spent lock_ids, fencing tokens that grow whatever the clock does,
 * leases of less than two seconds, and leases beyond the time after which the add-on takes a row for stale.
 */
final class SettleLocks implements LockStrategy {

    private final SettleParts parts;
    private final LockTable table;
    private final SettleLeases leases;
    private final Time time;

    SettleLocks(SettleParts parts) {
        this.parts = parts;
        this.table = parts.table();
        this.leases = parts.leases();
        this.time = parts.time();
    }

    @Override
    public Lease acquire(AcquireRequest request, BooleanSupplier callerGone) {
        return new SettleAcquisition(parts, request).run(callerGone);
    }

    /**
     * Puts the new row there before it removes the old one: at every moment one of them keeps the others out. A new row that
     * might be over sooner than the old one, for its stamp is cut to the second, is not put there at all.
     */
    @Override
    public Lease renew(StateId id, LockId lockId, Duration ttl) {
        SettleSight seen = leases.look(id);
        Candidacy mine = held(seen, id, lockId);
        String text = mine.row().lockId();
        Duration length = Candidacy.length(ttl);
        if (length.compareTo(seen.restOf(mine).plus(Candidacy.STAMP)) > 0) {
            text = Candidacy.text(mine.lock(), mine.fencingToken(), length, mine.owner());
            table.put(id, text);
        }
        for (String row : seen.rowsOf(mine.lock())) {
            if (!row.equals(text)) {
                table.remove(id, row);
            }
        }
        long sentAt = time.nanos();
        SettleSight sight = leases.look(id);
        return sight.lease(lockId, held(sight, id, lockId), time.since(sentAt), false);
    }

    private static Candidacy held(SettleSight sight, StateId id, LockId lockId) {
        Candidacy holder = sight.holder();
        if (holder == null || !holder.is(lockId)) {
            throw LockProblems.lost(id);
        }
        return holder;
    }

    @Override
    public int release(StateId id, LockId lockId) {
        SettleSight sight = leases.look(id);
        boolean live = sight.longest(lockId.hash()) != null;
        List<String> own = sight.rowsOf(lockId.hash());
        own.forEach(row -> table.remove(id, row));
        if (!live && (!own.isEmpty() || sight.holder() != null)) {
            throw LockProblems.lost(id);
        }
        return sight.waiting();
    }

    @Override
    public void breakLease(StateId id, long fencingToken) {
        SettleSight sight = leases.look(id);
        Candidacy holder = sight.holder();
        if (holder == null || holder.fencingToken() != fencingToken) {
            throw new Conflict(ProblemCode.FENCING_TOKEN_MISMATCH, "The lock of '" + id + "' is not held under the"
                    + " fencing token " + fencingToken + ". Look at it again before breaking it.");
        }
        sight.rowsOf(holder.lock()).forEach(row -> table.remove(id, row));
    }

    /** Nobody queues: those who wait ask again and again. */
    @Override
    public int waiting(StateId id) {
        return 0;
    }

    @Override
    public Optional<HeldLock> find(StateId id) {
        return Optional.ofNullable(leases.look(id).holder()).map(holder -> new HeldLock(holder.holder(), 0));
    }

    @Override
    public List<HeldLock> list(Glob pattern, @Nullable StateId after, int limit) {
        return leases.live(pattern, after, limit)
                .stream()
                .map(lease -> new HeldLock(lease.holder(), lease.waiting()))
                .toList();
    }
}

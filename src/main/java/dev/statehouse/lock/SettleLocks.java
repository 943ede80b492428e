package dev.statehouse.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import dev.statehouse.id.Glob;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Time;
import dev.statehouse.problem.Conflict;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks by the algorithm and on the table of the Meltano add-on for ClickHouse, so that pipelines with either exclude each
 * other. Best effort: one that stalls between 1 and 2, or a merge of the table's parts between 2 and 4, gives two holders.
 * <ol>
 * <li>Look. While somebody's row counts, wait and look again.
 * <li>Put a row there.
 * <li>Wait for the others' rows to be there too.
 * <li>Look. The lowest lock_id among all rows has the lock, and stamps its row anew, so that its time begins now; the others
 * withdraw theirs and start again.
 * </ol>
 * Left out beside the {@code ledger}: an order of waiters, spent lock_ids, fencing tokens that grow whatever the clock does,
 * leases beyond the time after which the add-on takes a row for stale.
 */
final class SettleLocks implements LockStrategy {

    private static final Logger LOG = LoggerFactory.getLogger(SettleLocks.class);
    /** A stamp is cut to the second. */
    private static final long STAMP_MS = 1_000;

    private final LockTable table;
    private final SettleLeases leases;
    private final Time time;
    private final Duration settle;
    private final Duration retry;

    /**
     * @param settle how long to wait for the others' rows
     * @param retry how long to wait while somebody has the lock
     */
    SettleLocks(LockTable table, SettleLeases leases, Time time, Duration settle, Duration retry) {
        this.table = table;
        this.leases = leases;
        this.time = time;
        this.settle = settle;
        this.retry = retry;
    }

    @Override
    public Lease acquire(AcquireRequest request, BooleanSupplier callerGone) {
        StateId id = request.stateId();
        String lock = request.lockId().hash();
        long start = time.nanos();
        while (true) {
            long sentAt = time.nanos();
            SettleLeases.Sight sight = leases.look(id);
            Candidacy lowest = sight.lowest();
            boolean own = lowest != null && lowest.lock().equals(lock);
            if (lowest != null && own && isSettled(lowest, sight)) {
                return lease(request.lockId(), lowest, sight, sentAt, false);
            }
            if (sight.candidates().isEmpty()) {
                Lease won = stand(request, sight);
                if (won != null) {
                    return won;
                }
            }
            if (!own && time.since(start).compareTo(request.patience()) >= 0 || callerGone.getAsBoolean()) {
                throw refused(id);
            }
            time.sleep(retry);
        }
    }

    private dev.statehouse.problem.Locked refused(StateId id) {
        Candidacy lowest = leases.look(id).lowest();
        return lowest == null ? LockProblems.locked(id, null, 0) : LockProblems.locked(List.of(lowest.holder()), 0);
    }

    /** Whether it may be one that has won, and is not only standing since another call put it there. */
    private boolean isSettled(Candidacy candidacy, SettleLeases.Sight sight) {
        return sight.serverTime() - candidacy.row().lockedAt() > settle.toMillis() + STAMP_MS;
    }

    /** 2 to 4. */
    private @Nullable Lease stand(AcquireRequest request, SettleLeases.Sight seen) {
        StateId id = request.stateId();
        seen.over().forEach(over -> table.remove(id, over.row().lockId()));
        String text = Candidacy.text(request.lockId().hash(), seen.serverTime(), request.ttl(), request.owner());
        try {
            return settle(request, text);
        } catch (Unavailable outage) {
            withdraw(id, text);
            throw outage;
        }
    }

    /** A row that nobody stands by would keep all others out for its time. */
    private void withdraw(StateId id, String text) {
        Thread.ofVirtual().name("withdraw ", 0).start(() -> {
            try {
                table.remove(id, text);
            } catch (Unavailable outage) {
                LOG.warn("The lock of '{}' may look held by nobody for a while: an outage cut its acquiring short", id);
            }
        });
    }

    private @Nullable Lease settle(AcquireRequest request, String text) {
        StateId id = request.stateId();
        table.put(id, text);
        time.sleep(settle);
        List<Candidacy> candidates = leases.look(id).candidates();
        if (candidates.isEmpty() || !candidates.getFirst().row().lockId().equals(text)) {
            table.remove(id, text);
            return null;
        }
        table.put(id, text);
        long sentAt = time.nanos();
        SettleLeases.Sight sight = leases.look(id);
        Candidacy lowest = sight.lowest();
        return lowest != null && lowest.row().lockId().equals(text)
                ? lease(request.lockId(), lowest, sight, sentAt, true)
                : null;
    }

    private Lease lease(LockId lockId, Candidacy candidacy, SettleLeases.Sight sight, long sentAt, boolean fresh) {
        Duration remaining = Duration.ofMillis(candidacy.expiresAt() - sight.serverTime()).minus(time.since(sentAt));
        return new Lease(candidacy.row().stateId(), lockId, candidacy.owner(), candidacy.fencingToken(),
                Instant.ofEpochMilli(candidacy.row().lockedAt()), Instant.ofEpochMilli(candidacy.expiresAt()),
                remaining, fresh, sight.live().size() - 1);
    }

    @Override
    public Lease renew(StateId id, LockId lockId, Duration ttl) {
        SettleLeases.Sight seen = leases.look(id);
        Candidacy mine = held(seen, id, lockId);
        Duration rest = Duration.ofMillis(mine.expiresAt() - seen.serverTime());
        String text = Candidacy.text(mine.lock(), mine.fencingToken(), ttl.compareTo(rest) < 0 ? rest : ttl,
                mine.owner());
        table.put(id, text);
        if (!text.equals(mine.row().lockId())) {
            table.remove(id, mine.row().lockId());
        }
        long sentAt = time.nanos();
        SettleLeases.Sight sight = leases.look(id);
        Candidacy renewed = sight.of(lockId.hash());
        if (renewed == null) {
            throw LockProblems.lost(id);
        }
        return lease(lockId, renewed, sight, sentAt, false);
    }

    private static Candidacy held(SettleLeases.Sight seen, StateId id, LockId lockId) {
        Candidacy lowest = seen.lowest();
        if (lowest == null || !lowest.lock().equals(lockId.hash())) {
            throw LockProblems.lost(id);
        }
        return lowest;
    }

    @Override
    public int release(StateId id, LockId lockId) {
        SettleLeases.Sight sight = leases.look(id);
        Candidacy mine = sight.of(lockId.hash());
        boolean wasMine = Stream.concat(sight.candidates().stream(), sight.over().stream())
                .anyMatch(each -> each.lock().equals(lockId.hash()));
        sight.over().forEach(over -> table.remove(id, over.row().lockId()));
        if (mine != null) {
            table.remove(id, mine.row().lockId());
        } else if (wasMine || sight.lowest() != null) {
            throw LockProblems.lost(id);
        }
        return Math.max(0, sight.live().size() - 1);
    }

    @Override
    public void breakLease(StateId id, long fencingToken) {
        Candidacy lowest = leases.look(id).lowest();
        if (lowest == null || lowest.fencingToken() != fencingToken) {
            throw new Conflict(ProblemCode.FENCING_TOKEN_MISMATCH, "The lock of '" + id + "' is not held under the"
                    + " fencing token " + fencingToken + ". Look at it again before breaking it.");
        }
        table.remove(id, lowest.row().lockId());
    }

    @Override
    public Optional<HeldLock> find(StateId id) {
        return Optional.ofNullable(leases.look(id).lowest()).map(lowest -> new HeldLock(lowest.holder(), 0));
    }

    @Override
    public List<HeldLock> list(Glob pattern, @Nullable StateId after, int limit) {
        return leases.live(pattern, after, limit)
                .stream()
                .map(lease -> new HeldLock(lease.holder(), lease.waiting()))
                .toList();
    }
}

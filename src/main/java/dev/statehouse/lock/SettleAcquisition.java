package dev.statehouse.lock;

import java.util.List;
import java.util.function.BooleanSupplier;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.Locked;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One acquisition by the algorithm of the Meltano add-on for ClickHouse.
 * <ol>
 * <li>Look. While somebody's row counts, wait and look again.
 * <li>Put a row there.
 * <li>Wait for the others' rows to be there too.
 * <li>Look. The lowest lock_id among all rows has the lock, and stamps its row anew, so that its time begins now; the others
 * withdraw theirs and start again.
 * </ol>
 * One that does not get the lock leaves no row behind: a row that nobody stands by keeps all others out for its time, and
 * those with the add-on until it is stale.
 */
final class SettleAcquisition {

    private static final Logger LOG = LoggerFactory.getLogger(SettleAcquisition.class);

    private final SettleParts parts;
    private final AcquireRequest request;
    private final StateId id;

    SettleAcquisition(SettleParts parts, AcquireRequest request) {
        this.parts = parts;
        this.request = request;
        this.id = request.stateId();
    }

    /** @param callerGone whether nobody waits for the answer any more */
    Lease run(BooleanSupplier callerGone) {
        long start = parts.time().nanos();
        while (true) {
            long sentAt = parts.time().nanos();
            SettleSight sight = parts.leases().look(id);
            Candidacy holder = sight.holder();
            boolean own = holder != null && holder.is(request.lockId());
            if (holder != null && own && isSettled(holder, sight)) {
                return sight.lease(request.lockId(), holder, parts.time().since(sentAt), false);
            }
            if (sight.candidates().isEmpty()) {
                Lease won = stand(sight);
                if (won != null) {
                    return won;
                }
            }
            if (!own && parts.time().since(start).compareTo(request.patience()) >= 0 || callerGone.getAsBoolean()) {
                throw refused();
            }
            parts.time().sleep(parts.retry());
        }
    }

    /** Whether it may be one that has won, and is not only standing since another call put it there. */
    private boolean isSettled(Candidacy row, SettleSight sight) {
        return sight.serverTime() - row.row().lockedAt() > parts.settle().plus(Candidacy.STAMP).toMillis();
    }

    private Locked refused() {
        Candidacy holder = parts.leases().look(id).holder();
        return holder == null ? LockProblems.locked(id, null, 0) : LockProblems.locked(List.of(holder.holder()), 0);
    }

    /** 2 to 4; null if another gets it. */
    private @Nullable Lease stand(SettleSight seen) {
        seen.over().forEach(over -> parts.table().remove(id, over.row().lockId()));
        String text = Candidacy.text(request.lockId().hash(), seen.serverTime(), Candidacy.length(request.ttl()),
                request.owner());
        try {
            Lease won = settle(text);
            if (won == null) {
                parts.table().remove(id, text);
            }
            return won;
        } catch (RuntimeException cutShort) {
            withdraw(text);
            throw cutShort;
        }
    }

    private @Nullable Lease settle(String text) {
        parts.table().put(id, text);
        parts.time().sleep(parts.settle());
        if (!parts.leases().look(id).isLowest(text)) {
            return null;
        }
        parts.table().put(id, text);
        long sentAt = parts.time().nanos();
        SettleSight sight = parts.leases().look(id);
        Candidacy mine = sight.holder(text);
        return mine == null ? null : sight.lease(request.lockId(), mine, parts.time().since(sentAt), true);
    }

    /** The caller is not kept waiting for it: what went wrong may do so again. */
    private void withdraw(String text) {
        Thread.ofVirtual().name("withdraw ", 0).start(() -> {
            try {
                parts.table().remove(id, text);
            } catch (RuntimeException again) {
                LOG.warn("The lock of '{}' may look held by nobody for a while: its acquiring was cut short, and so was"
                        + " the withdrawal", id, again);
            }
        });
    }
}

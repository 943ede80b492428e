package dev.statehouse.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.problem.Locked;
import dev.statehouse.problem.Unavailable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call that acquires a lock:
 * <ol>
 * <li>Append a request, and look. A free lock is granted by that row.
 * <li>If this lock has ended, say so.
 * <li>If it holds the lease by another's row, renew until that is seen: such a grant is short, for its waiter may be
 * dead. Then see to it that the last write is settled, so that the new holder reads all that came before, and that the
 * lease is still live; that is the answer.
 * <li>While it waits, look again and again; request anew if the place was lost, claim if the lease is over and this is
 * the first place. {@link Watch} does the looking and the signs of life, for all that wait.
 * <li>When the waiting time is over, take back each request that this call sent, look once more, and answer what that
 * shows: the lease, or who has it.
 * </ol>
 */
final class Acquisition {

    private static final Logger LOG = LoggerFactory.getLogger(Acquisition.class);
    /** How often to look up from waiting, also when nothing is heard. */
    private static final Duration LOOK_UP = Duration.ofSeconds(1);

    private final LedgerLocks locks;
    private final LedgerParts parts;
    private final Watches watches;
    private final AcquireRequest request;
    private final BooleanSupplier callerGone;
    private final StateId id;
    private final String lock;
    private final long start;
    private final List<String> requests = new ArrayList<>();

    Acquisition(LedgerLocks locks, LedgerParts parts, Watches watches, AcquireRequest request,
            BooleanSupplier callerGone) {
        this.locks = locks;
        this.parts = parts;
        this.watches = watches;
        this.request = request;
        this.callerGone = callerGone;
        this.id = request.stateId();
        this.lock = request.lockId().hash();
        this.start = parts.time().nanos();
    }

    Lease run() {
        try {
            return acquire();
        } catch (Unavailable unknown) {
            letGo();
            throw unknown;
        }
    }

    /** A lease whose name nobody was told would keep everybody out for all its time. */
    private void letGo() {
        if (!request.named()) {
            Thread.ofVirtual().name("let go ", 0).start(() -> {
                try {
                    parts.patient().append(Entry.release(id, parts.ids().next(), lock));
                } catch (Unavailable outage) {
                    LOG.warn("The lock of '{}' may be held for {} by nobody: an outage cut its acquiring short", id,
                            request.ttl(), outage);
                }
            });
        }
    }

    private Lease acquire() {
        request();
        Sight sight = locks.lookBack(id, start);
        boolean heldBefore = sight.look().before(id, requests.getFirst()).filter(this::holds).isPresent();
        Optional<Lease> lease = leaseIn(sight, !heldBefore);
        if (lease.isPresent()) {
            return lease.get();
        }
        return request.patience().isZero() ? giveUp() : waitFor(sight);
    }

    private boolean holds(FoldState state) {
        return state.holder() != null && state.holder().lock().equals(lock);
    }

    private void request() {
        String eventId = parts.ids().next();
        requests.add(eventId);
        parts.appender().append(Entry.request(id, eventId, lock, request.owner(), request.ttl().toMillis()));
    }

    private Lease waitFor(Sight first) {
        try (Watch.Seat seat = watches.join(id, lock)) {
            Sight sight = first;
            while (waited().compareTo(request.patience()) < 0) {
                stopIfCallerGone(sight);
                if (sight.mayClaim(lock)) {
                    parts.appender().append(Entry.claim(id, parts.ids().next(), lock));
                    sight = locks.look(id);
                } else if (!sight.isWaiting(lock) && !sight.isHeldBy(lock)) {
                    request();
                    sight = locks.look(id);
                } else {
                    Duration rest = request.patience().minus(waited());
                    sight = seat.next(sight, rest.compareTo(LOOK_UP) < 0 ? rest : LOOK_UP);
                }
                Optional<Lease> lease = leaseIn(sight, true);
                if (lease.isPresent()) {
                    letGoIfCallerGone(sight);
                    return lease.get();
                }
            }
        }
        return giveUp();
    }

    /** One that named its lock may yet ask for it again. */
    private void letGoIfCallerGone(Sight sight) {
        if (!request.named() && callerGone.getAsBoolean()) {
            letGo();
            throw refused(sight);
        }
    }

    /**
     * The place is left to lapse, so that the same lock_id may go on from it; nothing is granted for longer than that.
     */
    private void stopIfCallerGone(Sight sight) {
        if (callerGone.getAsBoolean()) {
            throw refused(sight);
        }
    }

    private Duration waited() {
        return parts.time().since(start);
    }

    /** @throws dev.statehouse.problem.Conflict if this lock has ended */
    private Optional<Lease> leaseIn(Sight seen, boolean fresh) {
        Sight sight = seen;
        while (sight.isHeldBy(lock)) {
            if (sight.holder().orElseThrow().provisional()) {
                stopIfCallerGone(sight);
                parts.appender()
                        .append(
                                Entry.renew(id, parts.ids().next(), lock, request.ttl().toMillis()));
            } else {
                parts.settler().settle(id, sight.state(), sight.look());
                Optional<Lease> lease = locks.lease(sight, request.lockId(), fresh);
                if (lease.isPresent()) {
                    return lease;
                }
            }
            sight = locks.look(id);
        }
        if (sight.state().endingOf(lock).isPresent() || holds(sight.state())) {
            throw LockProblems.lost(id);
        }
        return Optional.empty();
    }

    private Lease giveUp() {
        parts.appender().append(requests.stream().map(eventId -> Entry.leave(id, eventId, lock)).toList());
        Sight sight = locks.look(id);
        return leaseIn(sight, true).orElseThrow(() -> refused(sight));
    }

    private Locked refused(Sight sight) {
        return LockProblems.locked(id, sight.holder().orElse(null), sight.queue().size());
    }
}

package dev.statehouse.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Besides;
import dev.statehouse.ledger.Ending;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Holder;

/**
 * One call that releases a lock. It appends the release, and looks at the same time:
 * <ol>
 * <li>If that look finds the lease live for a while yet, and nobody waits, it was released by its holder. What others
 * append in the same moment is neither before nor after it.
 * <li>Else a look after the release says what came of it, and tells those who wait here.
 * </ol>
 * How long it was held is counted once, by the call that ended it: who says so again did not hold it before.
 */
final class Release {

    /** A lease that is live for longer than this was not over before the release came to the log. */
    private static final Duration MARGIN = Duration.ofMillis(500);

    private final LedgerLocks locks;
    private final LedgerParts parts;
    private final StateId id;
    private final String lock;

    Release(LedgerLocks locks, LedgerParts parts, StateId id, LockId lockId) {
        this.locks = locks;
        this.parts = parts;
        this.id = id;
        this.lock = lockId.hash();
    }

    /**
     * @return how many wait
     * @throws dev.statehouse.problem.Conflict if the lease had ended without being released
     */
    int run() {
        long start = parts.time().nanos();
        String eventId = parts.ids().next();
        CompletableFuture<Optional<Sight>> before = locks.anybodyWaitsHere(id)
                ? CompletableFuture.completedFuture(Optional.empty())
                : Besides.ask(() -> Sight.of(id, parts.ledger().look(List.of(id))));
        parts.appender().append(Entry.release(id, eventId, lock));
        Optional<Sight> peace = before.join().filter(this::isHeldInPeace);
        if (peace.isPresent()) {
            count(peace.get().state(), peace.get().now());
            return 0;
        }
        Sight sight = locks.glanceBack(id, start);
        Optional<FoldState> known = sight.look().before(id, eventId);
        boolean another = sight.holder().isPresent() && known.filter(this::isUnknown).isPresent();
        Ending.How how = sight.state().endingOf(lock).map(Ending::how).orElse(Ending.How.RELEASED);
        if (another || how == Ending.How.LOST) {
            throw LockProblems.lost(id).underLease(sight.queue().size());
        }
        known.ifPresent(state -> count(state, sight.now()));
        return sight.queue().size();
    }

    private void count(FoldState before, long now) {
        Holder holder = before.holder();
        if (holder != null && holder.lock().equals(lock)) {
            parts.meters().held(Duration.ofMillis(Math.max(0, now - holder.acquiredAt())));
        }
    }

    private boolean isHeldInPeace(Sight sight) {
        Duration elapsed = parts.time().since(sight.look().sentAt());
        return sight.state().queue().isEmpty() && sight.isHeldBy(lock) && sight.holder()
                .filter(holder -> sight.remaining(holder, elapsed).compareTo(MARGIN) > 0)
                .isPresent();
    }

    private boolean isUnknown(FoldState before) {
        Holder holder = before.holder();
        boolean held = holder != null && holder.lock().equals(lock);
        return !held && before.placeOf(lock).isEmpty() && before.endingOf(lock).isEmpty();
    }
}

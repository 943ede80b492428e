package dev.statehouse.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Holder;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Place;

/**
 * One id as a look at the log shows it.
 *
 * @param id the id
 * @param look what was read
 * @param state what that comes to
 */
record Sight(StateId id, Look look, FoldState state) {

    static Sight of(StateId id, Look look) {
        return new Sight(id, look, look.fold(id).state());
    }

    /** What time it is for leases: the log's, or the server's if that is later. Epoch milliseconds. */
    long now() {
        return Math.max(state.logTime(), look.serverTime());
    }

    /** The lease that is live now. */
    Optional<Holder> holder() {
        return state.holderAt(now());
    }

    boolean isHeldBy(String lock) {
        return holder().filter(h -> h.lock().equals(lock)).isPresent();
    }

    /** Who waits now, first come first. */
    List<Place> queue() {
        return state.queueAt(now());
    }

    /** Whether that lock is next, and nobody holds the lease. */
    boolean mayClaim(String lock) {
        return holder().isEmpty() && !queue().isEmpty() && queue().getFirst().lock().equals(lock);
    }

    boolean isWaiting(String lock) {
        return queue().stream().anyMatch(place -> place.lock().equals(lock));
    }

    /**
     * How long the lease is live from now, at least: counted from before the look was sent, at most its time to live.
     *
     * @param elapsed since the look was sent
     */
    Duration remaining(Holder holder, Duration elapsed) {
        long millis = Math.min(holder.expiresAt() - now(), holder.ttlMs());
        return Duration.ofMillis(millis).minus(elapsed);
    }
}

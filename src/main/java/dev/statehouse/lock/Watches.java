package dev.statehouse.lock;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import dev.statehouse.id.StateId;

/** One {@link Watch} for each id that somebody waits for, however many do. */
final class Watches {

    private final LedgerParts parts;
    private final Duration poll;
    private final Map<StateId, Watch> byId = new HashMap<>();

    /** @param poll how often to look */
    Watches(LedgerParts parts, Duration poll) {
        this.parts = parts;
        this.poll = poll;
    }

    synchronized Watch.Seat join(StateId id, String lock) {
        Watch watch = byId.computeIfAbsent(id, none -> new Watch(id, parts, poll, this::endIfEmpty));
        return watch.join(lock);
    }

    /** Somebody here looked at that id: those who wait for it need not look for themselves. */
    synchronized void tell(Sight seen) {
        Watch watch = byId.get(seen.id());
        if (watch != null) {
            watch.publish(seen);
        }
    }

    synchronized boolean anybodyWaits(StateId id) {
        return byId.containsKey(id);
    }

    /** @return whether nobody waits any more; the watch is over then */
    private synchronized boolean endIfEmpty(Watch watch) {
        return watch.isEmpty() && byId.remove(watch.id(), watch);
    }
}

package dev.statehouse.ledger;

/**
 * A place in the queue for the lease.
 *
 * @param lock hash of the lock_id that waits
 * @param owner who asked for it, in its own words
 * @param ttlMs length of the lease that is asked for, in milliseconds
 * @param eventId of the request that made the place: a {@code leave} with it ends the place
 * @param seenAt log time of the last sign of life, epoch milliseconds
 */
public record Place(String lock, String owner, long ttlMs, String eventId, long seenAt) {

    /** How long a place lasts after a sign of life, in milliseconds. */
    public static final long LIFE_MS = 6_000;

    /** @param time epoch milliseconds */
    public boolean isLiveAt(long time) {
        return time - seenAt <= LIFE_MS;
    }

    Place seen(long logTime) {
        return new Place(lock, owner, ttlMs, eventId, logTime);
    }
}

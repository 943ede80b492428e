package dev.statehouse.ledger;

/**
 * A lease that was granted. Times are log time in epoch milliseconds.
 *
 * @param lock hash of the lock_id that has it
 * @param owner who asked for it, in its own words
 * @param fencingToken larger than that of every lease before
 * @param acquiredAt when it was granted
 * @param expiresAt its last millisecond
 * @param ttlMs the time to live that it asked for, by its request or the renew that led to the present expiry; a
 *            provisional grant ends sooner
 * @param provisional granted by another's row and not yet renewed by the holder itself, who may be dead
 */
public record Holder(String lock, String owner, long fencingToken, long acquiredAt, long expiresAt, long ttlMs,
        boolean provisional) {

    private static final long PROVISIONAL_MS = 6_000;

    /** Rules 1 and 6. */
    static Holder granted(Place place, long fencingToken, long logTime, boolean provisional) {
        long lasts = provisional ? Math.min(place.ttlMs(), PROVISIONAL_MS) : place.ttlMs();
        return new Holder(place.lock(), place.owner(), fencingToken, logTime, logTime + lasts, place.ttlMs(),
                provisional);
    }

    /** @param time epoch milliseconds */
    public boolean isLiveAt(long time) {
        return time <= expiresAt;
    }

    /** Rule 3. */
    Holder renewed(long logTime, long ttl) {
        boolean longer = logTime + ttl > expiresAt;
        return new Holder(lock, owner, fencingToken, acquiredAt, longer ? logTime + ttl : expiresAt,
                longer ? ttl : ttlMs, false);
    }
}

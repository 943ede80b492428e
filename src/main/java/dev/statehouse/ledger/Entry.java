package dev.statehouse.ledger;

import dev.statehouse.id.StateId;
import org.jspecify.annotations.Nullable;

/**
 * One row to be appended to the log. What an event does not use is 0, "" or null. See {@link LedgerRow} for the units.
 *
 * @param partialState of a {@code write}: the half to store; null for none
 * @param completedState of a {@code write}: the half to store; null for none
 */
public record Entry(StateId stateId, Event event, String eventId, String lock, String owner, long ttlMs,
        long fencingToken, long base, long version, @Nullable String partialState, @Nullable String completedState,
        long readAt, long upto, @Nullable String fold) {

    private static Entry of(StateId id, Event event, String eventId, String lock) {
        return new Entry(id, event, eventId, lock, "", 0, 0, 0, 0, null, null, 0, 0, null);
    }

    /** Asks for the lease. */
    public static Entry request(StateId id, String eventId, String lock, String owner, long ttlMs) {
        return new Entry(id, Event.REQUEST, eventId, lock, owner, ttlMs, 0, 0, 0, null, null, 0, 0, null);
    }

    /** A sign of life of one that waits; with {@code lock} "" it only lets the log see what time it is. */
    public static Entry sign(StateId id, String eventId, String lock) {
        return of(id, Event.WAIT, eventId, lock);
    }

    /** Takes a request back; {@code requestId} is its event_id. */
    public static Entry leave(StateId id, String requestId, String lock) {
        return of(id, Event.LEAVE, requestId, lock);
    }

    /** Takes a lease that is over, by the first that waits. */
    public static Entry claim(StateId id, String eventId, String lock) {
        return of(id, Event.CLAIM, eventId, lock);
    }

    /** Prolongs the lease. */
    public static Entry renew(StateId id, String eventId, String lock, long ttlMs) {
        return new Entry(id, Event.RENEW, eventId, lock, "", ttlMs, 0, 0, 0, null, null, 0, 0, null);
    }

    /** Ends the lease, by its holder. */
    public static Entry release(StateId id, String eventId, String lock) {
        return of(id, Event.RELEASE, eventId, lock);
    }

    /** Ends the lease of that token, by an operator. */
    public static Entry breaking(StateId id, String eventId, long fencingToken) {
        return new Entry(id, Event.BREAK, eventId, "", "", 0, fencingToken, 0, 0, null, null, 0, 0, null);
    }

    /** Announces what shall be stored. */
    public static Entry write(StateId id, String eventId, String lock, long base, long version,
            @Nullable String partialState, @Nullable String completedState, long readAt) {
        return new Entry(id, Event.WRITE, eventId, lock, "", 0, 0, base, version, partialState, completedState, readAt,
                0, null);
    }

    /** Says that the write of that event_id is in the state table. */
    public static Entry done(StateId id, String eventId, String writeId) {
        return of(id, Event.DONE, eventId, writeId);
    }

    /** What a fold may start from. */
    public static Entry snapshot(StateId id, String eventId, Folded folded) {
        return new Entry(id, Event.SNAPSHOT, eventId, "", "", 0, 0, 0, 0, null, null, 0, folded.upto(),
                folded.snapshot());
    }
}

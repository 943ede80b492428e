package dev.statehouse.ledger;

import org.jspecify.annotations.Nullable;

/**
 * One row of the log of one state id, as it was read. What an event does not use is 0 or "". The contents of a write do
 * not travel in it.
 *
 * @param position its place in the log
 * @param event what it says
 * @param eventId its name, the same however often it was sent; of a {@code leave}: the request's
 * @param lock hash of the lock_id; "" for none; of a {@code done}: the event_id of the write
 * @param owner who asks for the lease, in its own words
 * @param ttlMs length of the lease that is asked for, in milliseconds
 * @param fencingToken of a {@code break}: the lease to end
 * @param base of a {@code write}: the last version that counted when its writer looked; 0 for none
 * @param version of a {@code write}: the version it stores
 * @param readAt of a {@code write}: when its writer looked, server's clock, epoch milliseconds
 * @param upto of a {@code snapshot}: the last block it stands for. A block is visible as a whole, so that its number
 *            alone says which rows are below: those with {@code _block_number <= upto}
 * @param fold of a {@code snapshot}: the state at {@code upto}, see {@link Folded#snapshot()}; null otherwise
 * @param at when it was inserted, server's clock, epoch milliseconds
 */
public record LedgerRow(Position position, Event event, String eventId, String lock, String owner, long ttlMs,
        long fencingToken, long base, long version, long readAt, long upto, @Nullable String fold, long at)
        implements
            Comparable<LedgerRow> {

    /** As it will be read if it is inserted there and then; the text of a snapshot does not travel. */
    static LedgerRow of(Entry entry, Position position, long at) {
        return new LedgerRow(position, entry.event(), entry.eventId(), entry.lock(), entry.owner(), entry.ttlMs(),
                entry.fencingToken(), entry.base(), entry.version(), entry.readAt(), entry.upto(), null, at);
    }

    /** Orders by position. */
    @Override
    public int compareTo(LedgerRow other) {
        return position.compareTo(other.position);
    }

    /** Whether a fold may start from this row. One that stands for its own block or a later one is not to be trusted. */
    boolean isStart() {
        return event == Event.SNAPSHOT && upto < position.block();
    }
}

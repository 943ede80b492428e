package dev.statehouse.ledger;

/**
 * A write that counts.
 *
 * @param eventId its name
 * @param version the version it stores
 * @param position the row that counted; a doubled one may stand behind it
 * @param at when that row was inserted, epoch milliseconds
 * @param judgedAt the larger of log time and {@code at}, epoch milliseconds
 * @param lock hash of the lock_id it was made under; "" for none
 * @param done whether the log says that it was put into the state table
 */
public record CountedWrite(String eventId, long version, Position position, long at, long judgedAt, String lock,
        boolean done) {

    CountedWrite asDone() {
        return new CountedWrite(eventId, version, position, at, judgedAt, lock, true);
    }
}

package dev.statehouse.ledger;

/**
 * The fold of the log of one id, and what a snapshot of it needs.
 *
 * @param state what the log says
 * @param upto the block of the newest row that was folded; 0 without rows
 * @param snapshotDue whether the newest snapshot, or without one the first row, is more than 12 hours of log time or
 *            500 rows back: whoever tries to acquire, renew or write then inserts a new one
 */
public record Folded(FoldState state, long upto, boolean snapshotDue) {

    /**
     * The text for the column {@code fold} of a {@code snapshot} row with this {@link #upto}. It is part of the rules that
     * the mark row names the version of.
     */
    public String snapshot() {
        return SnapshotCodec.write(state);
    }
}

package dev.statehouse.ledger;

/**
 * The fold of the log of one id, and what a snapshot of it needs.
 *
 * @param state what the log says
 * @param upto the block of the newest row that was folded; 0 without rows
 * @param rows how many rows there are behind the newest snapshot, or in all without one
 * @param since log time of the newest snapshot, or without one of the first row, in epoch milliseconds
 */
public record Folded(FoldState state, long upto, int rows, long since) {

    /** Of a log without a row. */
    public static final Folded NONE = new Folded(FoldState.EMPTY, 0, 0, 0);

    private static final long SNAPSHOT_AFTER_MS = 12 * 3_600_000L;
    private static final int SNAPSHOT_AFTER_ROWS = 500;

    /**
     * Whether the newest snapshot, or without one the first row, is more than 12 hours of log time or 500 rows back: whoever
     * tries to acquire, renew or write then inserts a new one.
     */
    public boolean snapshotDue() {
        return state.logTime() - since > SNAPSHOT_AFTER_MS || rows > SNAPSHOT_AFTER_ROWS;
    }

    /**
     * The text for the column {@code fold} of a {@code snapshot} row with this {@link #upto}. It is part of the rules that
     * the mark row names the version of.
     */
    public String snapshot() {
        return SnapshotCodec.write(state);
    }
}

package dev.statehouse.ledger;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Folds the log of one id. Rule 9 is here: the fold starts from the snapshot of the highest {@code upto} below its own
 * position and applies the rows above, so that rows below may be missing, in any order. {@link Rules} has the rest.
 */
public final class Fold {

    private static final long SNAPSHOT_AFTER_MS = 12 * 3_600_000L;
    private static final int SNAPSHOT_AFTER_ROWS = 500;

    private Fold() {}

    /**
     * @param rows all rows of one id that are there, in any order; those up to the newest snapshot's {@code upto} may be
     *            left out, and only they
     * @throws IllegalArgumentException if the newest snapshot cannot be read: nobody may then go by this log
     */
    public static Folded of(Collection<LedgerRow> rows) {
        return of(rows, Trace.NONE);
    }

    static Folded of(Collection<LedgerRow> rows, Trace trace) {
        List<LedgerRow> log = rows.stream().sorted().toList();
        if (log.isEmpty()) {
            return new Folded(FoldState.EMPTY, 0, false);
        }
        Optional<LedgerRow> newest = newestSnapshot(log);
        FoldState start = newest.map(row -> SnapshotCodec.read(row.fold())).orElse(FoldState.EMPTY);
        long upto = newest.map(LedgerRow::upto).orElse(Long.MIN_VALUE);

        Rules rules = new Rules(start, trace);
        Position previous = null;
        int applied = 0;
        for (LedgerRow row : log) {
            // A position names a row: the same one again was read twice.
            if (row.position().block() > upto && !row.position().equals(previous)) {
                rules.apply(row);
                applied += row.event() == Event.SNAPSHOT ? 0 : 1;
            }
            previous = row.position();
        }
        FoldState state = rules.state();
        long since = newest.isPresent() ? start.logTime() : log.getFirst().at();
        boolean due = state.logTime() - since > SNAPSHOT_AFTER_MS || applied > SNAPSHOT_AFTER_ROWS;
        return new Folded(state, log.getLast().position().block(), due);
    }

    private static Optional<LedgerRow> newestSnapshot(List<LedgerRow> log) {
        LedgerRow newest = null;
        for (LedgerRow row : log) {
            if (row.isStart() && (newest == null || row.upto() > newest.upto())) {
                newest = row;
            }
        }
        return Optional.ofNullable(newest);
    }

    /** Hears of each decision as it falls; the state itself forgets them. */
    interface Trace {

        Trace NONE = new Trace() {
        };

        default void granted(Holder holder) {}

        default void counted(CountedWrite write) {}
    }
}

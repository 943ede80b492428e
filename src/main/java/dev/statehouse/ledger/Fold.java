package dev.statehouse.ledger;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Folds the log of one id. Rule 9 is here: the fold starts from the snapshot of the highest {@code upto} below its own
 * position and applies the rows above, so that rows below may be missing, in any order. {@link Rules} has the rest.
 */
public final class Fold {

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
            return Folded.NONE;
        }
        LedgerRow newest = newestSnapshot(log);
        if (newest == null) {
            return apply(log, new Folded(FoldState.EMPTY, Long.MIN_VALUE, 0, log.getFirst().at()), Long.MIN_VALUE,
                    trace);
        }
        FoldState start = SnapshotCodec.read(newest.fold());
        return apply(log, new Folded(start, newest.upto(), 0, start.logTime()), newest.upto(), trace);
    }

    /**
     * Goes on from an earlier fold, which stands for the rows up to its {@link Folded#upto} as a snapshot does.
     *
     * @param rows all rows above that block, in any order; those up to it do not matter, nor the text of snapshots
     */
    public static Folded on(Folded start, Collection<LedgerRow> rows) {
        List<LedgerRow> log = rows.stream().filter(row -> row.position().block() > start.upto()).sorted().toList();
        if (log.isEmpty()) {
            return start;
        }
        LedgerRow newest = newestSnapshot(log);
        return newest == null
                ? apply(log, start, Long.MIN_VALUE, Trace.NONE)
                : apply(log, new Folded(start.state(), start.upto(), 0, start.state().logTime()), newest.upto(),
                        Trace.NONE);
    }

    /** @param countedFrom rows up to this block are behind a snapshot */
    private static Folded apply(List<LedgerRow> log, Folded start, long countedFrom, Trace trace) {
        Rules rules = new Rules(start.state(), trace);
        Position previous = null;
        int counted = start.rows();
        long upto = start.upto();
        for (LedgerRow row : log) {
            // A position names a row: the same one again was read twice.
            if (row.position().block() > start.upto() && !row.position().equals(previous)) {
                rules.apply(row);
                counted += row.event() == Event.SNAPSHOT || row.position().block() <= countedFrom ? 0 : 1;
            }
            previous = row.position();
            upto = Math.max(upto, row.position().block());
        }
        return new Folded(rules.state(), upto, counted, start.since());
    }

    private static @Nullable LedgerRow newestSnapshot(List<LedgerRow> log) {
        LedgerRow newest = null;
        for (LedgerRow row : log) {
            if (row.isStart() && (newest == null || row.upto() > newest.upto())) {
                newest = row;
            }
        }
        return newest;
    }

    /** Hears of each decision as it falls; the state itself forgets them. */
    interface Trace {

        Trace NONE = new Trace() {
        };

        default void granted(Holder holder) {}

        default void counted(CountedWrite write) {}
    }
}

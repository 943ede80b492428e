package dev.statehouse.ledger;

import java.util.List;

/** What the log will say. */
public final class Foresight {

    private Foresight() {}

    /**
     * The fold, if these rows of the same id come next, together and at that time. They stand nowhere yet, so that nobody can
     * go on from it but with a guess.
     *
     * @param at epoch milliseconds of the server
     */
    public static FoldState of(FoldState seen, List<Entry> entries, long at) {
        Rules rules = new Rules(seen, Fold.Trace.NONE);
        for (int i = 0; i < entries.size(); i++) {
            rules.apply(LedgerRow.of(entries.get(i), new Position(Long.MAX_VALUE, i), at));
        }
        return rules.state();
    }

    /**
     * Whether a write among these rows counts if they come next, together and no later than that. If it does at that time,
     * then at any before: its lease is live until then, and the time since its writer looked only grows. Not so where it
     * depends on what is over or forgotten by then, or where a row moves the log's time.
     *
     * @param latest epoch milliseconds of the server
     */
    public static boolean countsBy(FoldState seen, List<Entry> entries, String writeId, long latest) {
        return entries.stream().noneMatch(entry -> entry.event().movesLogTime() || waitsForTime(seen, entry))
                && of(seen, entries, latest).counts(writeId);
    }

    /** A write without a lease beside one that may be over, or that did not see a write that may be forgotten. */
    private static boolean waitsForTime(FoldState seen, Entry entry) {
        return entry.event() == Event.WRITE
                && (entry.lock().isEmpty() && seen.holder() != null || entry.base() < seen.base());
    }
}

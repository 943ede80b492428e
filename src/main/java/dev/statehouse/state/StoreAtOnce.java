package dev.statehouse.state;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Foresight;
import dev.statehouse.ledger.Holder;
import dev.statehouse.ledger.Tail;
import dev.statehouse.problem.Unavailable;

/**
 * Looks at the log and stores in one statement, for a write that is alone: the row goes into the state table if the log is
 * what it was when the write was decided, with its announcement behind, and nothing else. What that log says of the write is
 * known before it is asked; so if the row was stored, the write counts. If it was not, or nobody knows, that says nothing:
 * the log is to be looked at.
 *
 * @param announcement the write
 * @param own what was appended of its id
 * @param tail what the log is to end with
 * @param until when that may have been appended at the latest, and be asked for, in epoch milliseconds of the server
 */
record StoreAtOnce(WriteParts parts, WriteSight sight, Announcement announcement, List<Entry> own, Tail tail,
        long until) {

    /** Longer than any INSERT takes that is worth waiting for. */
    private static final long WITHIN_MS = 10_000;

    /**
     * @param entries what was appended
     * @param versions of rows that were remembered, by now
     * @return empty where it would not count, or not in any case, or is too large to be remembered
     */
    static Optional<StoreAtOnce> of(WriteParts parts, WriteSight sight, Announcement announcement, List<Entry> entries,
            Map<StateId, Long> versions) {
        Tail known = sight.tails().get(announcement.id());
        if (known == null || isToBeSeenAgain(known, parts) || announcement.isHidden(versions, announcement.seen())
                || !parts.memory().holds(announcement.toStore())) {
            return Optional.empty();
        }
        List<Entry> own = entries.stream().filter(entry -> entry.stateId().equals(announcement.id())).toList();
        Tail tail = known.with(own);
        Holder holder = announcement.seen().holder();
        long until = Math.min(sight.now() + WITHIN_MS, holder == null ? Long.MAX_VALUE : holder.expiresAt());
        return tail.isShort() && Foresight.countsBy(announcement.seen(), own, announcement.eventId(), until)
                ? Optional.of(new StoreAtOnce(parts, sight, announcement, own, tail, until))
                : Optional.empty();
    }

    /** A look takes little longer, and after it the next writes may be quicker: from the third of an id in a row on. */
    private static boolean isToBeSeenAgain(Tail known, WriteParts parts) {
        return !known.fresh() && known.inserts() > 1 && parts.quiet().isWorthATry();
    }

    /** @return false if it is not known whether the row was stored */
    boolean succeeds() {
        boolean quiet;
        try {
            quiet = tail.fresh() && parts.quiet().isWorthATry() && isStoredQuietly();
            if (!quiet && !isStoredByTheLog()) {
                return false;
            }
        } catch (Unavailable unknown) {
            return false;
        }
        parts.memory()
                .keep(sight.look(), Foresight.of(announcement.seen(), own, sight.now()),
                        quiet ? tail.passed(own) : tail.fresh(false), announcement.toStore());
        return true;
    }

    private boolean isStoredQuietly() {
        boolean stored = false;
        try {
            stored = parts.store().settleIfQuiet(announcement.id(), announcement.toStore().version(), tail, until);
        } finally {
            parts.quiet().was(stored);
        }
        return stored;
    }

    private boolean isStoredByTheLog() {
        return parts.store()
                .settleIf(announcement.id(), announcement.eventId(), announcement.toStore().version(), tail, until);
    }
}

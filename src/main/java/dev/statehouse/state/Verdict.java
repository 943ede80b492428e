package dev.statehouse.state;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.CountedWrite;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Look;

/**
 * What the log says of some writes after they were announced.
 *
 * @param look the log
 * @param states what it comes to, by id
 * @param stored versions of rows that were not read before the announcement, but remembered
 */
record Verdict(Look look, Map<StateId, FoldState> states, Map<StateId, Long> stored) {

    /**
     * Looks.
     *
     * @param remembered whether the row of the only id was remembered: then its version is read now
     */
    static Verdict of(WriteParts parts, List<Announcement> announcements, boolean remembered) {
        List<StateId> ids = announcements.stream().map(Announcement::id).toList();
        Verdict verdict;
        if (remembered) {
            Ledger.Check check = parts.appender().ask(() -> parts.ledger().check(ids.getFirst()));
            verdict = new Verdict(check.look(), new HashMap<>(), Map.of(ids.getFirst(), check.storedVersion()));
        } else {
            verdict = new Verdict(parts.appender().ask(() -> parts.ledger().look(ids)), new HashMap<>(), Map.of());
        }
        ids.forEach(id -> verdict.states.put(id, parts.snapshots().keepUp(id, verdict.look.fold(id)).state()));
        return verdict;
    }

    FoldState state(Announcement announcement) {
        return Objects.requireNonNull(states.get(announcement.id()));
    }

    /** It is stored, as the log was told by who stored it. */
    boolean isDone(Announcement announcement) {
        CountedWrite last = state(announcement).last();
        return last != null && last.done() && last.eventId().equals(announcement.eventId());
    }

    /** It counts, and will be what readers see: no row of a later version was put there by SQL, past the log. */
    boolean counts(Announcement announcement) {
        FoldState state = state(announcement);
        long latest = Math.max(announcement.toStore().version(), state.base());
        return state.counts(announcement.eventId()) && stored.getOrDefault(announcement.id(), 0L) <= latest;
    }

    /** It counts, and nothing else came after it. */
    boolean isLast(Announcement announcement) {
        CountedWrite last = state(announcement).last();
        return last != null && last.eventId().equals(announcement.eventId());
    }

    /** How many wait for the lock of its id now. */
    int waiting(Announcement announcement) {
        FoldState state = state(announcement);
        return state.queueAt(Math.max(state.logTime(), look.serverTime())).size();
    }
}

package dev.statehouse.state;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.CountedWrite;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Look;

/**
 * What the log says of some writes after they were announced.
 *
 * @param look the log
 * @param stored the versions of some rows, read before the log
 */
record Verdict(Look look, Map<StateId, Long> stored) {

    /** Looks. */
    static Verdict of(WriteParts parts, List<Announcement> announcements, Map<StateId, Long> stored) {
        List<StateId> ids = announcements.stream().map(Announcement::id).toList();
        Look look = parts.appender().ask(() -> parts.ledger().look(ids));
        ids.forEach(id -> parts.snapshots().keepUp(id, look.fold(id)));
        return new Verdict(look, stored);
    }

    FoldState state(Announcement announcement) {
        return look.fold(announcement.id()).state();
    }

    /** It is stored, as the log was told by who stored it. */
    boolean isDone(Announcement announcement) {
        return last(announcement).filter(CountedWrite::done).isPresent();
    }

    boolean counts(Announcement announcement) {
        return state(announcement).counts(announcement.eventId());
    }

    boolean isHidden(Announcement announcement) {
        return announcement.isHidden(stored, state(announcement));
    }

    /** It counts, and nothing else came after it. */
    boolean isLast(Announcement announcement) {
        return last(announcement).isPresent();
    }

    private Optional<CountedWrite> last(Announcement announcement) {
        return Optional.ofNullable(state(announcement).last())
                .filter(last -> last.eventId().equals(announcement.eventId()));
    }

    /** How many wait for the lock of its id now. */
    int waiting(Announcement announcement) {
        FoldState state = state(announcement);
        return state.queueAt(Math.max(state.logTime(), look.serverTime())).size();
    }
}

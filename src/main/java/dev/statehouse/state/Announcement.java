package dev.statehouse.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.FoldState;

/**
 * How the log is told what the writes of one id come to.
 *
 * @param id the id
 * @param eventId the name of the write in the log
 * @param seen what the log said
 * @param composition what is to be stored and answered
 */
record Announcement(StateId id, String eventId, FoldState seen, Composition composition) {

    /**
     * @param numbers which of the writes, all of that id
     * @param writes all writes
     */
    static Announcement of(StateId id, List<Integer> numbers, List<Write> writes, WriteSight sight, WriteParts parts) {
        FoldState seen = sight.state(id);
        Composition.Found found = new Composition.Found(sight.stored(id), Math.max(sight.now(), seen.base() + 1),
                sight::lease, sight.waiting(id), parts.properties().maxSize().toBytes());
        return new Announcement(id, parts.ids().next(), seen,
                Composition.of(numbers, writes, found, sight.hindrances().get(id)));
    }

    boolean changes() {
        return composition.row() != null;
    }

    /** Whether all of the writes are to be done. */
    boolean refusesNothing() {
        return changes() && composition.decided().stream().allMatch(each -> each.outcome() instanceof Outcome.Done);
    }

    /** Of one that changes something. */
    StateRow toStore() {
        return Objects.requireNonNull(composition.row());
    }

    /**
     * Whether a row of a later version is there, which no write that counts explains: it was put there by SQL, past the log,
     * and readers would not see this one.
     *
     * @param versions of some rows, read before the log
     */
    boolean isHidden(Map<StateId, Long> versions, FoldState log) {
        return versions.getOrDefault(id, 0L) > Math.max(toStore().version(), log.base());
    }

    /**
     * A lease that is over by the server's clock, while no row says so yet, is ended by a row that only tells the time.
     *
     * @param readAt the server's clock when the log was read, in epoch milliseconds
     * @param signId a name for that row
     */
    List<Entry> entries(long readAt, String signId) {
        List<Entry> entries = new ArrayList<>();
        if (composition.lock().isEmpty() && seen.holder() != null) {
            entries.add(Entry.sign(id, signId, ""));
        }
        StateRow stored = toStore();
        entries.add(Entry.write(id, eventId, composition.lock(), seen.base(), stored.version(), stored.partialState(),
                stored.completedState(), readAt));
        return entries;
    }
}

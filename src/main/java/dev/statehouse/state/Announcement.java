package dev.statehouse.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.problem.Problem;
import org.jspecify.annotations.Nullable;

/**
 * What the writes of one id come to, composed one after the other, and how the log is told.
 *
 * @param id the id
 * @param eventId the name of the write in the log
 * @param lock the lease that it is made under, as a hash; "" for none
 * @param seen what the log said
 * @param row the row to store; null if nothing changes
 * @param decided what is answered to each of the writes once the row is stored
 */
record Announcement(StateId id, String eventId, String lock, FoldState seen, @Nullable StateRow row,
        List<Decided> decided) {

    /** One of the writes, by its number, and its answer. */
    record Decided(int number, Outcome outcome) {}

    /**
     * @param numbers which of the writes, all of that id
     * @param writes all writes
     */
    static Announcement of(StateId id, List<Integer> numbers, List<Write> writes, WriteSight sight, WriteParts parts) {
        FoldState seen = sight.state(id);
        int waiting = LeaseRule.waiting(seen, sight.now());
        long oldest = Math.max(sight.now(), seen.base() + 1);
        StoredState current = sight.stored(id);
        StateRow row = null;
        String lock = "";
        List<Decided> decided = new ArrayList<>();
        for (int number : numbers) {
            Write write = writes.get(number);
            try {
                if (sight.hindrances().get(id) instanceof Problem hindrance) {
                    throw hindrance;
                }
                String under = LeaseRule.check(write, sight::state, sight.now());
                Decision decision = Decision.of(write, current, oldest, parts.properties().maxSize().toBytes());
                if (decision.row() != null) {
                    row = decision.row();
                    lock = under;
                    current = decision.state();
                }
                decided.add(new Decided(number, new Outcome.Done(decision.state(), decision.created(), waiting)));
            } catch (Problem problem) {
                decided.add(new Decided(number, new Outcome.Refused(problem, waiting)));
            }
        }
        return new Announcement(id, parts.ids().next(), lock, seen, row, decided);
    }

    boolean changes() {
        return row != null;
    }

    /** Whether all of the writes are to be done. */
    boolean refusesNothing() {
        return changes() && decided.stream().allMatch(each -> each.outcome() instanceof Outcome.Done);
    }

    /** Of one that changes something. */
    StateRow toStore() {
        return Objects.requireNonNull(row);
    }

    /**
     * A lease that is over by the server's clock, while no row says so yet, is ended by a row that only tells the time.
     *
     * @param readAt the server's clock when the log was read, in epoch milliseconds
     * @param signId a name for that row
     */
    List<Entry> entries(long readAt, String signId) {
        List<Entry> entries = new ArrayList<>();
        if (lock.isEmpty() && seen.holder() != null) {
            entries.add(Entry.sign(id, signId, ""));
        }
        StateRow stored = toStore();
        entries.add(Entry.write(id, eventId, lock, seen.base(), stored.version(), stored.partialState(),
                stored.completedState(), readAt));
        return entries;
    }
}

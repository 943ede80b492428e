package dev.statehouse.state;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.CountedWrite;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Folded;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Tail;
import dev.statehouse.lock.LiveLease;
import dev.statehouse.lock.LockProblems;
import dev.statehouse.problem.Unavailable;

/**
 * What some writes find.
 *
 * @param look the server's time and the log
 * @param now what time it is by the server's clock, in epoch milliseconds: when it was looked, or a guess since then
 * @param states what the log says of each id
 * @param tails what the log of an id ends with, where that is known
 * @param rows the newest row of each id that has one, with all in it that counts so far
 * @param hindrances why nothing can be written under an id
 */
record WriteSight(Look look, long now, Map<StateId, FoldState> states, Map<StateId, Tail> tails,
        Map<StateId, StateRow> rows, Map<StateId, Unavailable> hindrances) {

    /**
     * Reads the server's time, the log and the rows, in this order; helps the last write that counts where it is not in
     * the table yet, and reads those rows again.
     *
     * @param companions further ids whose leases matter
     */
    static WriteSight of(WriteParts parts, Set<StateId> ids, Set<StateId> companions) {
        Set<StateId> all = new LinkedHashSet<>(ids);
        all.addAll(companions);
        StateLog.Reading reading = parts.appender().ask(() -> parts.log().read(all));
        Look look = reading.look();
        WriteSight sight = new WriteSight(look, look.serverTime(), new HashMap<>(), new HashMap<>(),
                new HashMap<>(reading.rows()), new HashMap<>());
        all.forEach(id -> {
            sight.states.put(id, fold(parts, id, look));
            sight.tails.put(id, Tail.of(look, id));
        });
        Set<StateId> older = new LinkedHashSet<>();
        for (StateId id : ids) {
            FoldState state = sight.state(id);
            CountedWrite last = state.last();
            if (last != null && sight.version(id) < last.version()) {
                older.add(id);
                sight.help(parts, id, state);
            }
        }
        if (!older.isEmpty()) {
            sight.rows.putAll(parts.appender().ask(() -> parts.store().read(older)).rows());
            older.forEach(id -> sight.tellDone(parts, id));
        }
        return sight;
    }

    private static FoldState fold(WriteParts parts, StateId id, Look look) {
        Folded folded = look.fold(id);
        return parts.snapshots().keepUp(id, folded).state();
    }

    private void help(WriteParts parts, StateId id, FoldState state) {
        try {
            parts.settler().settle(id, state, look, version(id));
        } catch (Unavailable e) {
            hindrances.put(id, e);
        }
    }

    private void tellDone(WriteParts parts, StateId id) {
        CountedWrite last = state(id).last();
        if (last != null && version(id) >= last.version()) {
            parts.doneRows().add(id, last.eventId());
        }
    }

    FoldState state(StateId id) {
        FoldState state = states.get(id);
        return state == null ? look.fold(id).state() : state;
    }

    /** The lease that is live now: a lease is over too when the server's time is past its end, and no row says so yet. */
    Optional<LiveLease> lease(StateId id) {
        FoldState state = state(id);
        return state.holderAt(time(state))
                .map(holder -> new LiveLease(holder.lock(), LockProblems.held(id, holder), waiting(id)));
    }

    int waiting(StateId id) {
        FoldState state = state(id);
        return state.queueAt(time(state)).size();
    }

    private long time(FoldState state) {
        return Math.max(state.logTime(), now);
    }

    StoredState stored(StateId id) {
        return new StoredState(id, rows.get(id));
    }

    private long version(StateId id) {
        return stored(id).version();
    }
}

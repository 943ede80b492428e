package dev.statehouse.state;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Time;
import org.springframework.stereotype.Component;

/**
 * What this instance wrote moments ago, so that the next write of the same id needs no look at the log before it is
 * announced: if something came between, the log says so then, and the write starts again. It never says no to anything by
 * itself. What others change by SQL is outside the log: who builds on the row must ask whether it is still the newest.
 */
@Component
final class WriteMemory {

    private static final Duration KEPT_FOR = Duration.ofSeconds(2);
    private static final int MOST_IDS = 1_000;
    private static final int LONGEST_STATE = 32 * 1024;

    private final Time time;
    private final Map<StateId, Written> byId = new LinkedHashMap<>() {

        @Override
        protected boolean removeEldestEntry(Map.Entry<StateId, Written> eldest) {
            return size() > MOST_IDS;
        }
    };

    /** What the log said when the write was seen to count, when that was by the server's clock, and what was stored. */
    private record Written(FoldState state, long serverTime, long sentAt, StateRow row) {}

    WriteMemory(Time time) {
        this.time = time;
    }

    /** To be called once the row is stored. */
    synchronized void keep(Look look, FoldState state, StateRow row) {
        byId.remove(row.id());
        if (row.length() <= LONGEST_STATE) {
            byId.put(row.id(), new Written(state, look.serverTime(), look.sentAt(), row));
        }
    }

    synchronized void forget(Set<StateId> ids) {
        byId.keySet().removeAll(ids);
    }

    /** @return empty unless all of them were written here moments ago */
    synchronized Optional<WriteSight> recall(Set<StateId> ids) {
        Map<StateId, FoldState> states = new HashMap<>();
        Map<StateId, StateRow> rows = new HashMap<>();
        long serverTime = Long.MAX_VALUE;
        long sentAt = Long.MAX_VALUE;
        for (StateId id : ids) {
            Written written = byId.get(id);
            if (written == null || time.since(written.sentAt()).compareTo(KEPT_FOR) > 0) {
                return Optional.empty();
            }
            states.put(id, written.state());
            rows.put(id, written.row());
            serverTime = Math.min(serverTime, written.serverTime());
            sentAt = Math.min(sentAt, written.sentAt());
        }
        return Optional.of(new WriteSight(new Look(serverTime, sentAt, Map.of()),
                serverTime + time.since(sentAt).toMillis(), states, rows, Map.of()));
    }
}

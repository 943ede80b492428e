package dev.statehouse.state;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import dev.statehouse.id.LatestIds;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Tail;
import dev.statehouse.ledger.Time;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * What this instance wrote moments ago, so that the next write of the same id needs no look at the log before it is
 * announced: if something came between, the log says so then, and the write starts again. It never says no to anything by
 * itself. What others change by SQL is outside the log: who builds on the row must ask whether it is still the newest.
 */
@Component
final class WriteMemory {

    private static final Duration KEPT_FOR = Duration.ofSeconds(2);
    /** How long a row that was seen to be the newest is taken for it, by writes that replace all of it. */
    private static final Duration SEEN_FOR = Duration.ofMillis(250);
    private static final int MOST_IDS = 1_000;
    private static final int LONGEST_STATE = 32 * 1024;

    private final Time time;
    private final Map<StateId, Written> byId = LatestIds.byFirstPut(MOST_IDS);
    /** When the row of an id was seen in the table last, in nanoseconds. */
    private final Map<StateId, Long> rowsSeen = LatestIds.byFirstPut(MOST_IDS);

    /**
     * What the log says since the write counts, and what was stored.
     *
     * @param serverTime when it was looked at last, by the server's clock
     * @param sentAt the same by {@link Time#nanos()}
     * @param keptAt when this was known, as {@code sentAt}
     * @param tail what the log ends with; null if others write it too, or it is not known any more
     */
    private record Written(FoldState state, long serverTime, long sentAt, long keptAt, @Nullable Tail tail,
            StateRow row) {

        /** Rows that were on their way already may be among those that were seen. */
        Written told(List<Entry> entries, long toldAt) {
            return new Written(state, serverTime, sentAt, keptAt,
                    tail == null || toldAt - keptAt <= 0 ? null : tail.with(entries), row);
        }
    }

    WriteMemory(Time time) {
        this.time = time;
    }

    /**
     * To be called once the row is stored.
     *
     * @param look the last look at the log
     * @param tail what the log ends with; null if others write it too
     */
    synchronized void keep(Look look, FoldState state, @Nullable Tail tail, StateRow row) {
        byId.remove(row.id());
        if (holds(row)) {
            byId.put(row.id(), new Written(state, look.serverTime(), look.sentAt(), time.nanos(), tail, row));
        }
    }

    /**
     * The rows of these ids were looked for in the table.
     *
     * @param sentAt {@link Time#nanos()} before
     */
    synchronized void sawRows(Collection<StateId> ids, long sentAt) {
        for (StateId id : ids) {
            rowsSeen.remove(id);
            rowsSeen.put(id, sentAt);
        }
    }

    /** Whether the row of that id was looked for in the table just now. */
    synchronized boolean sawRow(StateId id) {
        Long sentAt = rowsSeen.get(id);
        return sentAt != null && time.since(sentAt).compareTo(SEEN_FOR) <= 0;
    }

    boolean holds(StateRow row) {
        return row.length() <= LONGEST_STATE;
    }

    /**
     * This instance appended these rows in one INSERT.
     *
     * @param sentAt {@link Time#nanos()} before
     */
    synchronized void told(List<Entry> entries, long sentAt) {
        entries.stream()
                .collect(Collectors.groupingBy(Entry::stateId))
                .forEach((id, own) -> byId.computeIfPresent(id, (same, written) -> written.told(own, sentAt)));
    }

    synchronized void forget(Set<StateId> ids) {
        byId.keySet().removeAll(ids);
    }

    /** @return empty unless all of them were written here moments ago */
    synchronized Optional<WriteSight> recall(Set<StateId> ids) {
        Map<StateId, FoldState> states = new HashMap<>();
        Map<StateId, Tail> tails = new HashMap<>();
        Map<StateId, StateRow> rows = new HashMap<>();
        long serverTime = Long.MAX_VALUE;
        long sentAt = Long.MAX_VALUE;
        for (StateId id : ids) {
            Written written = byId.get(id);
            if (written == null || time.since(written.sentAt()).compareTo(KEPT_FOR) > 0) {
                return Optional.empty();
            }
            states.put(id, written.state());
            if (written.tail() != null) {
                tails.put(id, written.tail());
            }
            rows.put(id, written.row());
            serverTime = Math.min(serverTime, written.serverTime());
            sentAt = Math.min(sentAt, written.sentAt());
        }
        return Optional.of(new WriteSight(new Look(serverTime, sentAt, Map.of()),
                serverTime + time.since(sentAt).toMillis(), states, tails, rows, Map.of()));
    }
}

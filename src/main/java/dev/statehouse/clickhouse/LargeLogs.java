package dev.statehouse.clickhouse;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.statehouse.id.LatestIds;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Time;

/**
 * Remembers ids with so many rows in the log that it pays to ask for those above a snapshot alone, which costs the others
 * more than it spares. No more than a hint: it changes how the log is asked, never what is taken to be in it.
 */
final class LargeLogs {

    private static final int MOST = 10_000;
    private static final Duration KNOWN_FOR = Duration.ofMinutes(10);

    private final Time time;
    private final Map<StateId, Long> seen = LatestIds.byFirstPut(MOST);

    LargeLogs(Time time) {
        this.time = time;
    }

    synchronized Set<StateId> among(Collection<StateId> ids) {
        return ids.stream().filter(id -> {
            Long since = seen.get(id);
            return since != null && time.since(since).compareTo(KNOWN_FOR) < 0;
        }).collect(Collectors.toSet());
    }

    synchronized void add(Collection<StateId> ids) {
        ids.forEach(id -> seen.put(id, time.nanos()));
    }
}

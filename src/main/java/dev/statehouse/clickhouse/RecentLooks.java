package dev.statehouse.clickhouse;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Folded;
import dev.statehouse.ledger.LedgerRow;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Position;
import dev.statehouse.ledger.Time;

/**
 * Remembers what the log of some ids came to when this instance looked last, so that the next look needs only the rows from
 * there on. It is a snapshot that nobody had to write: it stands for the rows up to its block. Block numbers start anew
 * once the newest rows are gone, so it holds only while the row that was the newest then stands where it stood; and for a
 * minute only, for rows are forgotten after an hour.
 */
final class RecentLooks {

    private static final int MOST_IDS = 1_000;
    private static final int MOST_LOOKS = 8;
    private static final Duration KNOWN_FOR = Duration.ofMinutes(1);

    private final Time time;
    private final Map<StateId, Deque<Seen>> byId = new LinkedHashMap<>(16, 0.75f, true) {

        @Override
        protected boolean removeEldestEntry(Map.Entry<StateId, Deque<Seen>> eldest) {
            return size() > MOST_IDS;
        }
    };

    /**
     * What was seen.
     *
     * @param folded what the log came to
     * @param newest where its newest row stood
     * @param eventId the name of that row
     * @param sentAt when it was looked last, in nanoseconds
     * @param doneAt when the first look that saw this much was answered, in nanoseconds
     */
    record Seen(Folded folded, Position newest, String eventId, long sentAt, long doneAt) {

        /** Whether rows that were read from its block on are what came after it. */
        boolean isContinuedBy(List<LedgerRow> rows) {
            return rows.stream()
                    .anyMatch(row -> row.position().equals(newest) && row.eventId().equals(eventId));
        }

        private boolean sameAs(Seen other) {
            return newest.equals(other.newest) && eventId.equals(other.eventId);
        }
    }

    RecentLooks(Time time) {
        this.time = time;
    }

    synchronized Optional<Seen> newest(StateId id) {
        return Optional.ofNullable(byId.get(id)).map(Deque::peekLast).filter(this::isKnown);
    }

    /** The newest that was answered at that time. */
    synchronized Optional<Seen> newestAt(StateId id, long nanos) {
        Deque<Seen> looks = byId.getOrDefault(id, new ArrayDeque<>());
        return looks.reversed().stream().filter(seen -> seen.doneAt() - nanos <= 0).findFirst().filter(this::isKnown);
    }

    private boolean isKnown(Seen seen) {
        return time.since(seen.sentAt()).compareTo(KNOWN_FOR) < 0;
    }

    /** Of looks that overlap, those that were sent before the newest are not kept. */
    void keep(StateId id, Look look) {
        long doneAt = time.nanos();
        look.rows().getOrDefault(id, List.of()).stream().max(Comparator.naturalOrder()).ifPresent(row -> {
            Seen seen = new Seen(look.fold(id), row.position(), row.eventId(), look.sentAt(), doneAt);
            synchronized (this) {
                keep(byId.computeIfAbsent(id, none -> new ArrayDeque<>()), seen);
            }
        });
    }

    private static void keep(Deque<Seen> looks, Seen seen) {
        Seen last = looks.peekLast();
        if (last != null && seen.sentAt() - last.sentAt() < 0) {
            return;
        }
        if (last != null && last.sameAs(seen)) {
            looks.removeLast();
            looks.add(new Seen(seen.folded(), seen.newest(), seen.eventId(), seen.sentAt(), last.doneAt()));
        } else {
            looks.add(seen);
        }
        if (looks.size() > MOST_LOOKS) {
            looks.removeFirst();
        }
    }
}

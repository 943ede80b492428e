package dev.statehouse.clickhouse;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.statehouse.id.LatestIds;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Folded;
import dev.statehouse.ledger.LedgerRow;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Position;
import dev.statehouse.ledger.Time;

/**
 * Remembers what the log of some ids came to when this instance looked last, so that the next look needs only the rows from
 * there on. It is a snapshot that nobody had to write: it stands for the rows up to its block. Block numbers start anew
 * once the newest rows are gone, so it holds only while the row that was the newest then stands where it stood. Once a
 * minute the whole log is read all the same, so that instances agree again whatever was done to the table.
 */
final class RecentLooks {

    private static final int MOST_IDS = 1_000;
    private static final int MOST_LOOKS = 8;
    /** Of a fold that remembers this many events, fewer looks are kept. */
    private static final int LARGE = 1_000;
    private static final int MOST_LARGE_LOOKS = 2;
    private static final Duration KNOWN_FOR = Duration.ofMinutes(1);

    private final Time time;
    private final Map<StateId, Deque<Seen>> byId = LatestIds.byLastUse(MOST_IDS);

    /**
     * What was seen.
     *
     * @param folded what the log came to
     * @param newest where its newest row stood
     * @param eventId the name of that row
     * @param wholeAt when the whole log was read, in nanoseconds
     * @param sentAt when it was looked last
     * @param doneAt when the first look that saw this much was answered
     */
    record Seen(Folded folded, Position newest, String eventId, long wholeAt, long sentAt, long doneAt) {

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

    /** Of these ids those that are known, in their order. */
    synchronized Map<StateId, Seen> newest(Collection<StateId> ids) {
        Map<StateId, Seen> known = new LinkedHashMap<>();
        for (StateId id : ids) {
            Deque<Seen> looks = byId.get(id);
            if (looks != null && isKnown(looks.getLast())) {
                known.put(id, looks.getLast());
            }
        }
        return known;
    }

    /** The newest that was answered at that time; empty if none is known. */
    synchronized Map<StateId, Seen> newestAt(StateId id, long nanos) {
        Deque<Seen> looks = byId.getOrDefault(id, new ArrayDeque<>());
        return looks.reversed()
                .stream()
                .filter(seen -> seen.doneAt() - nanos <= 0)
                .findFirst()
                .filter(this::isKnown)
                .map(seen -> Map.of(id, seen))
                .orElse(Map.of());
    }

    private boolean isKnown(Seen seen) {
        return time.since(seen.wholeAt()).compareTo(KNOWN_FOR) < 0;
    }

    /**
     * Of looks that overlap, those that were sent before the newest are not kept.
     *
     * @param from what the look went on from; empty if it read the whole log
     */
    void keep(StateId id, Look look, Optional<Seen> from) {
        long doneAt = time.nanos();
        long wholeAt = from.map(Seen::wholeAt).orElse(look.sentAt());
        look.rows().getOrDefault(id, List.of()).stream().max(Comparator.naturalOrder()).ifPresent(row -> {
            Seen seen = new Seen(look.fold(id), row.position(), row.eventId(), wholeAt, look.sentAt(), doneAt);
            synchronized (this) {
                keep(byId.computeIfAbsent(id, none -> new ArrayDeque<>()), seen);
                dropUnknown();
            }
        });
    }

    /** The ids that were asked for longest ago come first. */
    private void dropUnknown() {
        Iterator<Deque<Seen>> oldest = byId.values().iterator();
        while (oldest.hasNext() && !isKnown(oldest.next().getLast())) {
            oldest.remove();
        }
    }

    private static void keep(Deque<Seen> looks, Seen seen) {
        Seen last = looks.peekLast();
        if (last != null && seen.sentAt() - last.sentAt() < 0) {
            return;
        }
        if (last != null && last.sameAs(seen)) {
            looks.removeLast();
            looks.add(new Seen(seen.folded(), seen.newest(), seen.eventId(), seen.wholeAt(), seen.sentAt(),
                    last.doneAt()));
        } else {
            looks.add(seen);
        }
        int most = seen.folded().state().size() < LARGE ? MOST_LOOKS : MOST_LARGE_LOOKS;
        while (looks.size() > most) {
            looks.removeFirst();
        }
    }
}

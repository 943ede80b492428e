package dev.statehouse.ledger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import dev.statehouse.id.StateId;

/**
 * What the log of one id ends with: from a block on, these rows and no other. Since who sees a row sees every row below,
 * a log that is found to end so holds nothing that was not known.
 *
 * @param block where the newest row stood that was seen; 0 if the log held none
 * @param events the event_ids of the rows of that id from that block on, as often as they are there, in any order
 */
public record Tail(long block, List<String> events) {

    /** Longer ones are not told apart: it would cost more than a look. */
    private static final int MOST_EVENTS = 20;

    public Tail {
        events = List.copyOf(events);
    }

    /** As it was looked at. */
    public static Tail of(Look look, StateId id) {
        List<LedgerRow> rows = look.rows().getOrDefault(id, List.of());
        long block = rows.stream().mapToLong(row -> row.position().block()).max().orElse(0);
        return new Tail(block, rows.stream()
                .filter(row -> row.position().block() == block)
                .map(LedgerRow::eventId)
                .toList());
    }

    /** With these rows appended. */
    public Tail with(Collection<Entry> entries) {
        List<String> all = new ArrayList<>(events);
        entries.forEach(entry -> all.add(entry.eventId()));
        return new Tail(block, all);
    }

    public boolean isShort() {
        return events.size() <= MOST_EVENTS;
    }
}

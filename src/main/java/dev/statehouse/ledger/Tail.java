package dev.statehouse.ledger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import dev.statehouse.id.StateId;

/**
 * What the log of one id ends with: from a block on, these rows and no other. Since who sees a row sees every row below,
 * a log that is found to end so holds nothing that was not known.
 *
 * @param block where the newest row stood that was seen, or further on; 0 if the log held none
 * @param standing the event_ids of the rows of that id from that block on, as often as they are there, in any order
 * @param inserts how many INSERTs came after that, each in a block of its own
 * @param appended the event_ids of their rows
 * @param fresh whether what was seen was appended here moments before, and nothing else is known to have come since: then
 *            the next write is the only one among what is appended
 */
public record Tail(long block, List<String> standing, int inserts, List<String> appended, boolean fresh) {

    /** Longer ones are not told apart: it would cost more than a look. */
    private static final int MOST_EVENTS = 20;

    public Tail {
        standing = List.copyOf(standing);
        appended = List.copyOf(appended);
    }

    /** As it was looked at. */
    public static Tail of(Look look, StateId id) {
        List<LedgerRow> rows = look.rows().getOrDefault(id, List.of());
        long block = rows.stream().mapToLong(row -> row.position().block()).max().orElse(0);
        return new Tail(block, rows.stream()
                .filter(row -> row.position().block() == block)
                .map(LedgerRow::eventId)
                .toList(), 0, List.of(), false);
    }

    public Tail fresh(boolean is) {
        return new Tail(block, standing, inserts, appended, is);
    }

    /** With these rows, which one INSERT appended that was sent after this was known. */
    public Tail with(Collection<Entry> entries) {
        List<String> all = new ArrayList<>(appended);
        entries.forEach(entry -> all.add(entry.eventId()));
        return new Tail(block, standing, inserts + 1, all, fresh);
    }

    /**
     * Once the log was found to end so, with these rows as the last that were appended: they stand as many blocks further on
     * as there were INSERTs, or more, and what is below them was seen.
     */
    public Tail passed(Collection<Entry> last) {
        return new Tail(block + inserts, last.stream().map(Entry::eventId).toList(), 0, List.of(), true);
    }

    /** All event_ids. */
    public List<String> events() {
        List<String> all = new ArrayList<>(standing);
        all.addAll(appended);
        return all;
    }

    public boolean isShort() {
        return standing.size() + appended.size() <= MOST_EVENTS;
    }
}

package dev.statehouse.ledger;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.statehouse.id.StateId;

/**
 * What one SELECT of the log gave. It may be trusted to hold every row below the newest that it holds.
 *
 * @param serverTime the server's clock in epoch milliseconds, read in the same SELECT; 0 where that gave no row
 * @param sentAt {@link Time#nanos()} before it was sent
 * @param rows the rows of each id that has some; those up to the newest snapshot's {@code upto} may be left out
 */
public record Look(long serverTime, long sentAt, Map<StateId, List<LedgerRow>> rows) {

    /** What the log of that id says. */
    public Folded fold(StateId id) {
        return Fold.of(rowsOf(id));
    }

    /**
     * What the log of that id said before the first row of that event.
     *
     * @return empty if that row is not there, as when a snapshot stands for it already
     */
    public Optional<FoldState> before(StateId id, String eventId) {
        List<LedgerRow> log = rowsOf(id);
        return log.stream()
                .filter(row -> row.eventId().equals(eventId))
                .min(LedgerRow::compareTo)
                .filter(row -> log.stream()
                        .noneMatch(
                                other -> other.event() == Event.SNAPSHOT && other.upto() >= row.position().block()))
                .map(row -> Fold.of(log.stream().filter(other -> standsBefore(other, row)).toList()).state());
    }

    private List<LedgerRow> rowsOf(StateId id) {
        return rows.getOrDefault(id, List.of());
    }

    /** A snapshot behind the row stands for rows before it, which may not have travelled. */
    private static boolean standsBefore(LedgerRow other, LedgerRow row) {
        return other.event() == Event.SNAPSHOT ? other.upto() < row.position().block() : other.compareTo(row) < 0;
    }
}

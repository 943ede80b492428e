package dev.statehouse.ledger;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import dev.statehouse.id.StateId;

/** What one SELECT of the log gave. It may be trusted to hold every row below the newest that it holds. */
public final class Look {

    private final long serverTime;
    private final long sentAt;
    private final Map<StateId, List<LedgerRow>> rows;
    private final Map<StateId, Folded> starts;
    private final Map<StateId, Folded> folds = new ConcurrentHashMap<>();

    /**
     * @param serverTime the server's clock in epoch milliseconds, read in the same SELECT; 0 where that gave no row
     * @param sentAt {@link Time#nanos()} before it was sent
     * @param rows the rows of each id that has some; those up to the newest snapshot's {@code upto} may be left out
     */
    public Look(long serverTime, long sentAt, Map<StateId, List<LedgerRow>> rows) {
        this(serverTime, sentAt, rows, Map.of());
    }

    /** @param starts of some ids an earlier fold: of their rows those up to its {@code upto} may be left out */
    public Look(long serverTime, long sentAt, Map<StateId, List<LedgerRow>> rows, Map<StateId, Folded> starts) {
        this.serverTime = serverTime;
        this.sentAt = sentAt;
        this.rows = rows;
        this.starts = starts;
    }

    /** The server's clock in epoch milliseconds; 0 where the SELECT gave no row. */
    public long serverTime() {
        return serverTime;
    }

    /** {@link Time#nanos()} before it was sent. */
    public long sentAt() {
        return sentAt;
    }

    /** What the log of that id says. */
    public Folded fold(StateId id) {
        return folds.computeIfAbsent(id, each -> fold(each, rowsOf(each)));
    }

    private Folded fold(StateId id, List<LedgerRow> log) {
        Folded start = starts.get(id);
        return start == null ? Fold.of(log) : Fold.on(start, log);
    }

    /**
     * What the log of that id said before the first row of that event.
     *
     * @return empty if that row is not there, as when a snapshot or an earlier fold stands for it already
     */
    public Optional<FoldState> before(StateId id, String eventId) {
        List<LedgerRow> log = rowsOf(id);
        return log.stream()
                .filter(row -> row.eventId().equals(eventId))
                .min(LedgerRow::compareTo)
                .filter(row -> row.position().block() > standsFor(id))
                .map(row -> fold(id, log.stream().filter(other -> standsBefore(other, row)).toList()).state());
    }

    /** The rows of each id that has some, as far as they travelled. */
    public Map<StateId, List<LedgerRow>> rows() {
        return rows;
    }

    private List<LedgerRow> rowsOf(StateId id) {
        return rows.getOrDefault(id, List.of());
    }

    /** The block up to which rows may not have travelled. */
    private long standsFor(StateId id) {
        Folded start = starts.get(id);
        return start != null
                ? start.upto()
                : rowsOf(id).stream()
                        .filter(row -> row.event() == Event.SNAPSHOT)
                        .mapToLong(LedgerRow::upto)
                        .max()
                        .orElse(Long.MIN_VALUE);
    }

    /** A snapshot behind the row stands for rows before it, which may not have travelled. */
    private static boolean standsBefore(LedgerRow other, LedgerRow row) {
        return other.event() == Event.SNAPSHOT ? other.upto() < row.position().block() : other.compareTo(row) < 0;
    }
}

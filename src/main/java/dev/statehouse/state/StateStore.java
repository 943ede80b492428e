package dev.statehouse.state;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Tail;
import org.jspecify.annotations.Nullable;

/**
 * The port to the state table. Every method throws {@link dev.statehouse.problem.Unavailable} where the store cannot be
 * asked; an error of {@link #write} leaves it open whether the rows are there.
 */
public interface StateStore {

    /**
     * What one look at the table gave.
     *
     * @param serverTime the store's clock in epoch milliseconds, read no later than the rows
     * @param rows the newest row of each id that has one, rows with neither half included
     */
    record Snapshot(long serverTime, Map<StateId, StateRow> rows) {}

    /**
     * One line of a listing.
     *
     * @param version {@code updated_at} in epoch milliseconds
     * @param sizeBytes the bytes of UTF-8 of both halves together
     * @param readable false if a half is not a JSON object
     */
    record Summary(StateId id, long version, boolean hasCompleted, boolean hasPartial, long sizeBytes,
            boolean readable) {}

    /** The newest rows of these ids. */
    Snapshot read(Collection<StateId> ids);

    /**
     * States that match, in byte order of their ids; ids whose row has neither half are not states.
     *
     * @param after only ids behind this one; null for all
     * @param limit how many at the most
     */
    List<Summary> list(Glob pattern, @Nullable StateId after, int limit);

    /**
     * As {@link #list}, with the documents; ends early, after at least one row, once the page holds {@code maxBytes}.
     */
    List<StateRow> page(Glob pattern, @Nullable StateId after, int limit, long maxBytes);

    /** Ids of states that match and are not readable, in byte order, a few at the most. */
    List<StateId> unreadable(Glob pattern, int limit);

    /** How many states match. */
    long count(Glob pattern);

    /** Puts the rows there in one INSERT; a row with neither half says that there is no state. */
    void write(List<StateRow> rows);

    /**
     * Puts there what a write announced, if the log of its id ends with this, in one statement: a look and a {@link #write}.
     *
     * @param writeId event_id of the write, which is among those rows
     * @param version the one that it announced
     * @param until when the newest of those rows may have been appended, and the statement may run, in epoch milliseconds of
     *            the server
     * @return false if the log says something else or it is too late, and nothing was written
     */
    boolean settleIf(StateId id, String writeId, long version, Tail tail, long until);

    /**
     * As {@link #settleIf} and quicker, but only while nobody else writes to the log, under whatever id: the rows that came
     * after the tail's block are only counted.
     *
     * @param version the one that the write announced, which is the only one among the rows that were appended
     * @return false as well where those rows were merged with older ones
     */
    boolean settleIfQuiet(StateId id, long version, Tail tail, long until);
}

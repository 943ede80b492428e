package dev.statehouse.ledger;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import org.jspecify.annotations.Nullable;

/**
 * The port to the log and to what it decides about. Every method throws {@link dev.statehouse.problem.Unavailable} where
 * the store cannot be asked; an error of {@link #append} and {@link #settle} leaves it open whether they took place.
 */
public interface Ledger {

    /** Appends the rows in one INSERT, so that they become visible together, in this order. */
    void append(List<Entry> entries);

    /** What the log says of these ids, and what time it is there. */
    Look look(Collection<StateId> ids);

    /**
     * A look at one id which {@link Look#before} can ask about rows that were appended since.
     *
     * @param since {@link Time#nanos()}
     */
    Look lookBack(StateId id, long since);

    /** The version of the state table's newest row of each id that has one. */
    Map<StateId, Long> storedVersions(Collection<StateId> ids);

    /** The version of the state table's newest row of that id; 0 without one. */
    default long storedVersion(StateId id) {
        return storedVersions(List.of(id)).getOrDefault(id, 0L);
    }

    /** Puts what that write announced into the state table, from the log; twice is once. */
    void settle(StateId id, String writeId);

    /**
     * Ids that match and may be locked now, in byte order: a superset, to be folded.
     *
     * @param after only ids behind this one; null for all
     */
    List<StateId> lockCandidates(Glob pattern, @Nullable StateId after, int limit);
}

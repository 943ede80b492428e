package dev.statehouse.lock;

import java.util.Collection;
import java.util.List;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import org.jspecify.annotations.Nullable;

/** The port to the lock table of the Meltano add-on for ClickHouse, which the {@code settle} strategy shares with it. */
public interface LockTable {

    /**
     * One row: somebody holds the lock, or would like to.
     *
     * @param lockId what the one that put it there calls itself
     * @param lockedAt server's clock, epoch milliseconds, to the second
     */
    record Candidate(StateId stateId, String lockId, long lockedAt) {}

    /**
     * What one SELECT gave.
     *
     * @param serverTime server's clock, epoch milliseconds
     * @param candidates all rows, merged or not, in byte order of id and lock_id
     */
    record Candidates(long serverTime, List<Candidate> candidates) {}

    Candidates of(Collection<StateId> ids);

    /** Ids with a row, in byte order. */
    List<StateId> ids(Glob pattern, @Nullable StateId after, int limit);

    /** Puts a row there, or stamps it anew. */
    void put(StateId id, String lockId);

    void remove(StateId id, String lockId);
}

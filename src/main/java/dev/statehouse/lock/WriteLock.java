package dev.statehouse.lock;

import java.time.Duration;
import java.util.function.Function;

import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.EventIds;
import dev.statehouse.problem.Problem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes a lock for the time of one write, as the Meltano add-on does for each of its updates. */
public final class WriteLock {

    private static final Logger LOG = LoggerFactory.getLogger(WriteLock.class);
    private static final Duration TTL = Duration.ofSeconds(60);
    private static final String OWNER = "a write through Statehouse";

    private final LockStrategy locks;
    private final EventIds ids;
    private final Duration patience;

    /** @param patience how long to wait for it */
    WriteLock(LockStrategy locks, EventIds ids, Duration patience) {
        this.locks = locks;
        this.ids = ids;
        this.patience = patience;
    }

    /**
     * @param work is given the hash of the lock_id
     * @throws dev.statehouse.problem.Locked if somebody else has it for longer than that
     */
    public <T extends Object> T holding(StateId id, Function<String, T> work) {
        LockId lockId = LockId.parse(ids.next());
        locks.acquire(new AcquireRequest(id, lockId, false, OWNER, TTL, patience), () -> false);
        try {
            return work.apply(lockId.hash());
        } finally {
            release(id, lockId);
        }
    }

    /** What became of the write is told, whatever becomes of the lock. */
    private void release(StateId id, LockId lockId) {
        try {
            locks.release(id, lockId);
        } catch (Problem lost) {
            LOG.warn("The lock of '{}' could not be released after a write: {}", id, lost.detail());
        }
    }
}

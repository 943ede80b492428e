package dev.statehouse.lock;

import java.time.Duration;
import java.time.Instant;

import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;

/**
 * One acquisition, as its holder is told of it.
 *
 * @param stateId what is locked
 * @param lockId its name, the holder's secret
 * @param owner who holds it, in its own words
 * @param fencingToken grows with every grant of this lock
 * @param acquiredAt when it was granted, by the server's clock
 * @param expiresAt its last moment, by the server's clock
 * @param expiresIn how long it is live from now at least, whatever the clocks say
 * @param fresh whether it was granted by this call; false if it was held before
 * @param waiting how many wait for it
 */
record Lease(StateId stateId, LockId lockId, String owner, long fencingToken, Instant acquiredAt, Instant expiresAt,
        Duration expiresIn, boolean fresh, int waiting) {}

package dev.statehouse.lock;

import java.time.Duration;

import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;

/**
 * What a caller asks for.
 *
 * @param stateId what to lock
 * @param lockId the name of this acquisition; the same again is the same lease, or the same place in the queue
 * @param named whether the caller made that name, and so can ask again with it
 * @param owner who asks, in its own words
 * @param ttl how long the lease shall last without being renewed
 * @param patience how long to wait for it; zero not to wait
 */
record AcquireRequest(StateId stateId, LockId lockId, boolean named, String owner, Duration ttl, Duration patience) {}

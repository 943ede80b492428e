package dev.statehouse.lock;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.statehouse.id.Timestamps;
import dev.statehouse.problem.Locked;

/** Locks as the HTTP contract shows them. */
final class LockView {

    private LockView() {}

    /** To its holder. */
    record Granted(@JsonProperty("state_id") String stateId, @JsonProperty("lock_id") String lockId, String owner,
            @JsonProperty("fencing_token") long fencingToken, @JsonProperty("acquired_at") String acquiredAt,
            @JsonProperty("expires_at") String expiresAt, @JsonProperty("expires_in_ms") long expiresInMs) {

        static Granted of(Lease lease) {
            return new Granted(lease.stateId().value(), lease.lockId().text(), lease.owner(), lease.fencingToken(),
                    Timestamps.format(lease.acquiredAt()), Timestamps.format(lease.expiresAt()),
                    lease.expiresIn().toMillis());
        }
    }

    /** To anybody. */
    record Held(@JsonProperty("state_id") String stateId, String owner,
            @JsonProperty("fencing_token") long fencingToken, @JsonProperty("acquired_at") String acquiredAt,
            @JsonProperty("expires_at") String expiresAt, int waiting) {

        static Held of(HeldLock held) {
            Locked.Holder holder = held.holder();
            return new Held(holder.stateId().value(), holder.owner(), holder.fencingToken(),
                    Timestamps.format(holder.acquiredAt()), Timestamps.format(holder.expiresAt()), held.waiting());
        }
    }
}

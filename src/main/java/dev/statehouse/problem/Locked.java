package dev.statehouse.problem;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.StateId;
import dev.statehouse.id.Timestamps;

/** Somebody else holds the lock. */
public final class Locked extends Problem {

    private final List<Holder> holders;
    private final Duration retryAfter;

    /**
     * Who holds a lock; never its {@code lock_id}, which is the holder's secret.
     *
     * @param stateId the locked id
     * @param owner the name that the holder gave itself
     * @param fencingToken the number of the grant
     * @param acquiredAt when it was granted, by the server's clock
     * @param expiresAt when it ends unless renewed, by the server's clock
     */
    public record Holder(StateId stateId, String owner, long fencingToken, Instant acquiredAt, Instant expiresAt) {}

    /**
     * @param holders who holds what; one where the call is about one id
     * @param waiting how many wait for the lock
     * @param retryAfter when it makes sense to ask again
     */
    public Locked(String detail, List<Holder> holders, int waiting, Duration retryAfter) {
        super(ProblemCode.LOCKED, detail, null);
        this.holders = List.copyOf(holders);
        underLease(waiting);
        this.retryAfter = retryAfter;
    }

    public Duration retryAfter() {
        return retryAfter;
    }

    @Override
    public Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        if (!holders.isEmpty()) {
            members.put("holder", member(holders.getFirst()));
        }
        if (holders.size() > 1) {
            members.put("holders", holders.stream().map(Locked::member).toList());
        }
        members.put("waiting", waiting().orElse(0));
        return members;
    }

    private static Map<String, Object> member(Holder holder) {
        Map<String, Object> member = new LinkedHashMap<>();
        member.put("state_id", holder.stateId().value());
        member.put("owner", holder.owner());
        member.put("fencing_token", holder.fencingToken());
        member.put("acquired_at", Timestamps.format(holder.acquiredAt()));
        member.put("expires_at", Timestamps.format(holder.expiresAt()));
        return member;
    }
}

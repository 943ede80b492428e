package dev.statehouse.lock;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.id.LockId;
import dev.statehouse.problem.Locked;

/**
 * One row of the lock table, read. Rows of this service hold more in their lock_id than the add-on's; to the add-on any
 * text is a lock_id.
 *
 * @param row the row
 * @param lock hash of the lock_id; of a row of the add-on, its lock_id
 * @param owner who put it there
 * @param fencingToken its number
 * @param ttl length of the lease
 */
record Candidacy(LockTable.Candidate row, String lock, String owner, long fencingToken, Duration ttl) {

    /** A stamp is cut to the second, so a lease may be shorter than its length by as much. */
    static final Duration STAMP = Duration.ofSeconds(1);
    /** A lease of a second might be over before it is given. */
    private static final Duration LEAST_TTL = Duration.ofSeconds(2);

    private static final Pattern OURS = Pattern
            .compile("([0-9a-f]{64})\\.(\\d{1,18})\\.(\\d{1,18})\\.([A-Za-z0-9_-]+)");
    private static final String ADD_ON = "a pipeline with the Meltano add-on";

    /** @param staleAfter how long a row of the add-on counts, and any row at the most */
    static Candidacy of(LockTable.Candidate row, Duration staleAfter) {
        Matcher ours = OURS.matcher(row.lockId());
        if (!ours.matches()) {
            return new Candidacy(row, row.lockId(), ADD_ON, row.lockedAt(), staleAfter);
        }
        Duration ttl = Duration.ofMillis(Long.parseLong(ours.group(3)));
        String owner = new String(Base64.getUrlDecoder().decode(ours.group(4)), StandardCharsets.UTF_8);
        return new Candidacy(row, ours.group(1), owner, Long.parseLong(ours.group(2)),
                ttl.compareTo(staleAfter) < 0 ? ttl : staleAfter);
    }

    /** The length of a lease for which this time was asked. */
    static Duration length(Duration ttl) {
        return ttl.compareTo(LEAST_TTL) < 0 ? LEAST_TTL : ttl;
    }

    /** The text that stands for a lease in the table. The hash comes first: the lowest text wins, and it is fair. */
    static String text(String lock, long fencingToken, Duration ttl, String owner) {
        return lock + "." + fencingToken + "." + ttl.toMillis() + "."
                + Base64.getUrlEncoder().withoutPadding().encodeToString(owner.getBytes(StandardCharsets.UTF_8));
    }

    long expiresAt() {
        return row.lockedAt() + ttl.toMillis();
    }

    boolean is(LockId lockId) {
        return lock.equals(lockId.hash());
    }

    boolean isLiveAt(long serverTime) {
        return serverTime <= expiresAt();
    }

    Locked.Holder holder() {
        return new Locked.Holder(row.stateId(), owner, fencingToken, Instant.ofEpochMilli(row.lockedAt()),
                Instant.ofEpochMilli(expiresAt()));
    }
}

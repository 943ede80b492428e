package dev.statehouse.lock;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.statehouse.id.LockId;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.springframework.http.HttpHeaders;

/**
 * The leases that a call is made under.
 *
 * @param ids their names, as they stand in {@value #HEADER}; empty for none
 */
public record LockTokens(List<LockId> ids) {

    public static final String HEADER = "Lock-Token";
    /** How many wait for a lock that the call is made under. */
    public static final String WAITING_HEADER = "Lock-Waiting";

    public static final LockTokens NONE = new LockTokens(List.of());

    /** @throws InvalidInput if what stands there is none */
    public static LockTokens of(HttpHeaders request) {
        return parse(request.getOrEmpty(HEADER));
    }

    /**
     * @param lines the header's lines: lock_ids, bare or in angle brackets, with commas between
     */
    public static LockTokens parse(List<String> lines) {
        LockTokens tokens = new LockTokens(lines.stream()
                .flatMap(line -> Arrays.stream(line.split(",", -1)))
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .map(LockTokens::lockId)
                .distinct()
                .toList());
        if (tokens.isEmpty() && !lines.isEmpty()) {
            throw new InvalidInput(ProblemCode.INVALID_HEADER, HEADER
                    + " is empty; leave the header out to write without a lease.");
        }
        return tokens;
    }

    private static LockId lockId(String text) {
        try {
            boolean bracketed = text.startsWith("<") && text.endsWith(">") && text.length() > 2;
            return LockId.parse(bracketed ? text.substring(1, text.length() - 1) : text);
        } catch (IllegalArgumentException e) {
            throw new InvalidInput(ProblemCode.INVALID_HEADER, HEADER + ": " + e.getMessage());
        }
    }

    /** The one that a call about one lease needs. */
    LockId only() {
        if (ids.size() != 1) {
            throw new InvalidInput(ProblemCode.INVALID_HEADER, "This call needs the header " + HEADER
                    + " with the lock_id of the lease" + (ids.isEmpty() ? "." : ", and one alone."));
        }
        return ids.getFirst();
    }

    public boolean isEmpty() {
        return ids.isEmpty();
    }

    /** What stands for them in the log. */
    public Set<String> hashes() {
        return ids.stream().map(LockId::hash).collect(Collectors.toUnmodifiableSet());
    }
}

package dev.statehouse.problem;

import java.util.Map;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;

/**
 * Something that the caller is to be told. The message is written for the caller: what is wrong, where, and what to do;
 * it never holds a driver's text, a password or a token.
 */
public abstract sealed class Problem extends RuntimeException
        permits InvalidInput, Forbidden, NotFound, Conflict, VersionMismatch, TooLarge, TooSlow, Locked, Unavailable {

    private final ProblemCode code;
    private OptionalInt waiting = OptionalInt.empty();

    Problem(ProblemCode code, String detail, @Nullable Throwable cause) {
        super(detail, cause, false, cause != null);
        this.code = code;
    }

    public final ProblemCode code() {
        return code;
    }

    /** What the caller is told. */
    public final String detail() {
        return String.valueOf(getMessage());
    }

    /**
     * Notes how many wait for the lock of the id that the call is about, for a holder in no hurry to see.
     *
     * @return the same problem
     */
    public final Problem underLease(int waiting) {
        this.waiting = OptionalInt.of(waiting);
        return this;
    }

    /** How many wait for the lock of the id that the call is about; empty where that was not looked at. */
    public final OptionalInt waiting() {
        return waiting;
    }

    /** Further members of the answer, by name; their values are JSON values, lists and maps. */
    public Map<String, Object> members() {
        return Map.of();
    }
}

package dev.statehouse.problem;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** The call cannot be served now; it may be later. The cause is for the log, never for the caller. */
public final class Unavailable extends Problem {

    private final Duration retryAfter;

    public Unavailable(ProblemCode code, String detail, Duration retryAfter, @Nullable Throwable cause) {
        super(code, detail, cause);
        this.retryAfter = retryAfter;
    }

    /** When it makes sense to ask again. */
    public Duration retryAfter() {
        return retryAfter;
    }
}

package dev.statehouse.ledger;

import java.time.Duration;

import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;

/** The passing of time in this process; what time it is, only the server says. */
public interface Time {

    /** A steady count of nanoseconds, as {@link System#nanoTime()}. */
    long nanos();

    /** @throws Unavailable if the thread is interrupted: the service is shutting down */
    void sleep(Duration duration);

    /** What a wait throws that is interrupted; the thread stays marked as such. */
    static Unavailable interrupted() {
        Thread.currentThread().interrupt();
        return new Unavailable(ProblemCode.OVERLOADED, "This instance is shutting down; ask again.",
                Duration.ofSeconds(1), null);
    }

    default Duration since(long nanos) {
        return Duration.ofNanos(nanos() - nanos);
    }
}

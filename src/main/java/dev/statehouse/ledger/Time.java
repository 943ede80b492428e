package dev.statehouse.ledger;

import java.time.Duration;

/** The passing of time in this process; what time it is, only the server says. */
public interface Time {

    /** A steady count of nanoseconds, as {@link System#nanoTime()}. */
    long nanos();

    /** @throws java.util.concurrent.CancellationException if the thread is interrupted: the service is shutting down */
    void sleep(Duration duration);

    default Duration since(long nanos) {
        return Duration.ofNanos(nanos() - nanos);
    }
}

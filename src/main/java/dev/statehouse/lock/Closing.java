package dev.statehouse.lock;

import java.time.Duration;

import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Tells those who wait for a lock that this instance is about to end, before the web server waits for their calls: they ask
 * another instance, and with the same lock_id they keep their place.
 */
@Component
final class Closing implements SmartLifecycle {

    private volatile boolean running;

    /** @throws Unavailable if the service is ending */
    void check() {
        if (!running) {
            throw new Unavailable(ProblemCode.OVERLOADED,
                    "This instance is shutting down; ask again, with the same lock_id"
                            + " if you chose one.",
                    Duration.ofSeconds(1), null);
        }
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The first to be stopped. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}

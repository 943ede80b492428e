package dev.statehouse.lock;

import java.time.Duration;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.springframework.stereotype.Component;

/** How long callers wait for locks, and hold them. */
@Component
final class LockMeters {

    private final MeterRegistry registry;
    private final Timer granted;
    private final Timer refused;
    private final Timer held;

    LockMeters(MeterRegistry registry) {
        this.registry = registry;
        granted = timer(registry, "granted");
        refused = timer(registry, "refused");
        held = Timer.builder("statehouse.lock.held")
                .description("How long locks were held that their holders gave back")
                .register(registry);
    }

    private static Timer timer(MeterRegistry registry, String outcome) {
        return Timer.builder("statehouse.lock.wait")
                .description("How long it took until a lock was granted, or not")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** A lease was given back. */
    void held(Duration howLong) {
        held.record(howLong);
    }

    <T extends Object> T waiting(Supplier<T> acquire) {
        Timer.Sample sample = Timer.start(registry);
        Timer timer = refused;
        try {
            T lease = acquire.get();
            timer = granted;
            return lease;
        } finally {
            sample.stop(timer);
        }
    }
}

package dev.statehouse.batch;

import java.time.Duration;
import java.util.function.Supplier;

import dev.statehouse.trace.Spans;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.springframework.stereotype.Component;

/** What an operator sees of batches: one set of meters a queue, and a span a batch. */
@Component
public final class BatchMeters {

    private static final String QUEUE = "queue";

    private final MeterRegistry registry;
    private final Spans spans;

    public BatchMeters(MeterRegistry registry, Spans spans) {
        this.registry = registry;
        this.spans = spans;
    }

    /**
     * The meters of one queue.
     *
     * @param size how many reads or writes a batch held
     * @param waiting how long the first of a batch waited
     * @param refused calls that were not taken in
     * @param spans those of the batches
     */
    record OfQueue(DistributionSummary size, Timer waiting, Counter refused, Spans spans) {

        void begun(int jobs, Duration waited) {
            size.record(jobs);
            waiting.record(waited);
        }
    }

    /** @param waiting how many wait now */
    OfQueue of(String queue, Supplier<Number> waiting) {
        Gauge.builder("statehouse.batch.queued", waiting)
                .description("Calls that wait to be done with others")
                .tag(QUEUE, queue)
                .register(registry);
        return new OfQueue(
                DistributionSummary.builder("statehouse.batch.size")
                        .description("How many reads or writes were done together")
                        .tag(QUEUE, queue)
                        .register(registry),
                Timer.builder("statehouse.batch.wait")
                        .description("How long the first of a batch waited until it was begun")
                        .tag(QUEUE, queue)
                        .register(registry),
                Counter.builder("statehouse.batch.refused")
                        .description("Calls that were answered 503 since too many waited")
                        .tag(QUEUE, queue)
                        .register(registry),
                spans);
    }
}

package dev.statehouse.batch;

import java.time.Duration;

import dev.statehouse.trace.Spans;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.springframework.util.unit.DataSize;

/** Batches as they are out of the box. */
public final class TestBatches {

    public static final BatchProperties PROPERTIES = slow(Duration.ofMillis(200));

    /** A batch that was begun so long ago holds up nobody. */
    public static BatchProperties slow(Duration slow) {
        return new BatchProperties(true, 256, 1, 1, slow, 4096, DataSize.ofMegabytes(64));
    }

    private TestBatches() {}

    public static BatchMeters meters() {
        return new BatchMeters(new SimpleMeterRegistry(), Spans.NONE);
    }
}

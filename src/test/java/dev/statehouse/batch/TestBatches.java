package dev.statehouse.batch;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.springframework.util.unit.DataSize;

/** Batches as they are out of the box. */
public final class TestBatches {

    public static final BatchProperties PROPERTIES = new BatchProperties(true, 256, 1, 1, 4096,
            DataSize.ofMegabytes(64));

    private TestBatches() {}

    public static BatchMeters meters() {
        return new BatchMeters(new SimpleMeterRegistry());
    }
}

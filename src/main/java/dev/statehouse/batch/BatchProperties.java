package dev.statehouse.batch;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How calls that come together are gathered.
 *
 * @param enabled false: each call is a statement of its own, for comparison
 * @param size the most reads, or writes, that are done together
 * @param reads how many batches of reads are under way at a time
 * @param writes how many batches of writes are under way at a time
 * @param slow when the last batch was begun that long ago and others wait, one more is begun
 * @param queue how many reads, and how many writes, may wait; beyond it 503
 * @param queueBytes how many bytes of states may wait to be written; beyond it 503
 */
@ConfigurationProperties("statehouse.batch")
public record BatchProperties(@DefaultValue("true") boolean enabled, @DefaultValue("256") int size,
        @DefaultValue("1") int reads, @DefaultValue("1") int writes, @DefaultValue("200ms") Duration slow,
        @DefaultValue("4096") int queue,
        @DefaultValue("64MB") DataSize queueBytes) {

    /** One that does not come to an end must not hold up all others. */
    private static final int MOST_WHILE_SLOW = 4;
    /** Longer than a caller nearby takes from an answer to its next call, far shorter than a statement. */
    private static final Duration COME_BACK = Duration.ofMillis(2);
    private static final int PER_KEY = 64;
    private static final long BATCH_BYTES = 8L * 1024 * 1024;
    private static final long LARGE_FROM = 256L * 1024;
    /** Writes that lose a race start again, before all others. */
    private static final Duration PATIENCE_OF_WRITES = Duration.ofSeconds(30);

    public BatchProperties {
        require(size, 1, 10_000, "size");
        require(reads, 1, 100, "reads");
        require(writes, 1, 100, "writes");
        require(queue, 1, 1_000_000, "queue");
        if (slow.compareTo(Duration.ofMillis(1)) < 0 || slow.compareTo(Duration.ofMinutes(10)) > 0) {
            throw new IllegalArgumentException("statehouse.batch.slow must be between 1ms and 10m.");
        }
    }

    private static void require(int value, int least, int most, String name) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "statehouse.batch.%s must be between %,d and %,d.".formatted(name, least, most));
        }
    }

    /**
     * Reads are large by what comes of them; while they wait they hold nothing.
     *
     * @param patience how long a read may wait
     */
    public BatchLimits forReads(Duration patience) {
        return limits(reads, Long.MAX_VALUE, patience);
    }

    public BatchLimits forWrites() {
        return limits(writes, queueBytes.toBytes(), PATIENCE_OF_WRITES);
    }

    private BatchLimits limits(int inFlight, long queuedBytes, Duration patience) {
        BatchLimits limits = new BatchLimits(inFlight, Math.max(inFlight, MOST_WHILE_SLOW), slow, COME_BACK, size,
                PER_KEY,
                BATCH_BYTES, LARGE_FROM, queue, queuedBytes, patience);
        return enabled ? limits : limits.alone();
    }
}

package dev.statehouse.batch;

import java.time.Duration;

/**
 * How much is done at a time, and how much may wait.
 *
 * @param inFlight how many batches are under way at a time, besides one of large jobs
 * @param most how many there are at the most while they are slow
 * @param slow when the last was begun that long ago, and others wait, one more is begun
 * @param comeBack after a batch of several, the next is begun when nobody came for that long, and soon in any case
 * @param size the most that one batch holds
 * @param perKey how many jobs with the same key one batch holds, so that the others get their turn too
 * @param bytes a batch is full once it holds that many
 * @param largeFrom jobs of more bytes, or that count for more than one, go in batches of their own, beside the others
 * @param queued how many may wait; half of them may have the same key
 * @param queuedBytes how many bytes may wait
 * @param patience how long a job may wait
 */
public record BatchLimits(int inFlight, int most, Duration slow, Duration comeBack, int size, int perKey, long bytes,
        long largeFrom,
        int queued, long queuedBytes, Duration patience) {

    /** Nothing is gathered: as many batches of one job as there are calls. Jobs with the same key still take turns. */
    BatchLimits alone() {
        return new BatchLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, slow, comeBack, 1, 1, 1, Long.MAX_VALUE, queued,
                queuedBytes,
                patience);
    }
}

package dev.statehouse.batch;

import java.time.Duration;
import java.util.List;

import dev.statehouse.trace.Origin;

/**
 * Jobs to be done together.
 *
 * @param taken the jobs, since when each of them waited, as {@link System#nanoTime()}, and for which call
 * @param large whether they are large ones
 * @param size for how many they count
 */
record Batch<J extends Job>(List<Waiting<J>> taken, boolean large, int size) {

    record Waiting<J>(J job, long since, Origin call) {}

    boolean isEmpty() {
        return taken.isEmpty();
    }

    List<J> jobs() {
        return taken.stream().map(Waiting::job).toList();
    }

    /** The calls that they are of. */
    List<Origin> calls() {
        return taken.stream().map(Waiting::call).toList();
    }

    /** How long the first of them waited. */
    Duration waited() {
        return Duration.ofNanos(System.nanoTime() - taken.getFirst().since());
    }
}

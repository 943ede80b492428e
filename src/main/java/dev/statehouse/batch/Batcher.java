package dev.statehouse.batch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import dev.statehouse.problem.Unavailable;

/**
 * Does jobs in batches: what arrives while batches are under way is the next batch. A job that comes alone is begun at once;
 * after a batch of several, the next one is begun when their callers had a moment to come back.
 *
 * @param <J> what is done
 */
public final class Batcher<J extends Job> {

    private static final int IDLE_STEPS = 4;
    private static final int LONGEST_STEPS = 5;

    private final JobQueue<J> queue;
    private final Function<List<J>, List<J>> work;
    private final BatchMeters.OfQueue meters;
    private final String name;
    private final Duration watch;
    private final Duration comeBack;
    private final AtomicBoolean watched = new AtomicBoolean();

    /**
     * @param name of the batches, in metrics and threads
     * @param limits how much is done at a time
     * @param work does a batch and returns those of its jobs that are to be done again, before all others
     */
    public Batcher(String name, BatchLimits limits, Function<List<J>, List<J>> work, BatchMeters meters) {
        this.name = name;
        this.queue = new JobQueue<>(limits);
        this.comeBack = limits.comeBack();
        this.watch = limits.slow().dividedBy(4);
        this.work = work;
        this.meters = meters.of(name, queue::waiting);
    }

    /**
     * Returns at once; the job hears what became of it.
     *
     * @throws Unavailable if too much waits already: the job was not taken
     */
    public void submit(J job) {
        try {
            queue.add(job);
        } catch (Unavailable full) {
            meters.refused().increment();
            throw full;
        }
        beginAll();
    }

    private void beginAll() {
        beginWhatMay();
        if (queue.waiting() > 0 && watched.compareAndSet(false, true)) {
            Thread.ofVirtual().name(name + " watch").start(this::watch);
        }
    }

    /** While batches are slow, more of them are begun, and what waited for too long is refused. */
    private void watch() {
        while (queue.waiting() > 0) {
            LockSupport.parkNanos(watch.toNanos());
            beginWhatMay();
        }
        watched.set(false);
        if (queue.waiting() > 0) {
            beginAll();
        }
    }

    private void beginWhatMay() {
        for (Batch<J> batch = queue.next(); !batch.isEmpty(); batch = queue.next()) {
            Batch<J> begun = batch;
            Thread.ofVirtual().name(name + " batch").start(() -> carryOut(begun));
        }
    }

    private void carryOut(Batch<J> batch) {
        meters.begun(batch.size(), batch.waited());
        long began = System.nanoTime();
        List<J> again = List.of();
        try {
            again = meters.spans().batch(name, batch.size(), batch.calls(), () -> work.apply(batch.jobs()));
        } catch (RuntimeException unforeseen) {
            batch.jobs().forEach(job -> job.fail(unforeseen));
        } catch (Error worse) {
            batch.jobs().forEach(job -> job.fail(new IllegalStateException("A batch of " + name + " broke", worse)));
        } finally {
            linger(batch, again, System.nanoTime() - began);
            queue.done(batch, again);
            beginAll();
        }
    }

    /**
     * Waits for the callers of a batch of several to come back: who has an answer often asks on, and the next batch would
     * otherwise be the first of them alone, and the others a second. Ends as soon as all are back, or nobody comes any more, or
     * after a third of the time that the batch took.
     */
    private void linger(Batch<J> batch, List<J> again, long tookNanos) {
        long end = System.nanoTime() + Math.min(tookNanos / 3, LONGEST_STEPS * comeBack.toNanos());
        int waiting = queue.waiting();
        int wanted = queue.wantedAfter(batch, again);
        for (int idle = 0; waiting < wanted && idle < IDLE_STEPS && System.nanoTime() < end;) {
            LockSupport.parkNanos(comeBack.toNanos() / IDLE_STEPS);
            int now = queue.waiting();
            idle = now > waiting ? 0 : idle + 1;
            waiting = now;
        }
    }
}

package dev.statehouse.batch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import dev.statehouse.problem.Unavailable;

/**
 * Does jobs in batches: what arrives while batches are under way is the next batch. Nothing lingers: a job that comes alone
 * is begun at once.
 *
 * @param <J> what is done
 */
public final class Batcher<J extends Job> {

    private final JobQueue<J> queue;
    private final Function<List<J>, List<J>> work;
    private final BatchMeters.OfQueue meters;
    private final String name;
    private final Duration watch;
    private final AtomicBoolean watched = new AtomicBoolean();

    /**
     * @param name of the batches, in metrics and threads
     * @param limits how much is done at a time
     * @param work does a batch and returns those of its jobs that are to be done again, before all others
     */
    public Batcher(String name, BatchLimits limits, Function<List<J>, List<J>> work, BatchMeters meters) {
        this.name = name;
        this.queue = new JobQueue<>(limits);
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
        for (JobQueue.Batch<J> batch = queue.next(); !batch.isEmpty(); batch = queue.next()) {
            JobQueue.Batch<J> begun = batch;
            Thread.ofVirtual().name(name + " batch").start(() -> carryOut(begun));
        }
    }

    private void carryOut(JobQueue.Batch<J> batch) {
        meters.begun(batch.size(), batch.waited());
        List<J> again = List.of();
        try {
            again = meters.spans().batch(name, batch.size(), batch.calls(), () -> work.apply(batch.jobs()));
        } catch (RuntimeException unforeseen) {
            batch.jobs().forEach(job -> job.fail(unforeseen));
        } catch (Error worse) {
            batch.jobs().forEach(job -> job.fail(new IllegalStateException("A batch of " + name + " broke", worse)));
        } finally {
            queue.done(batch, again);
            beginAll();
        }
    }
}

package dev.statehouse.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import dev.statehouse.trace.Origin;

/** The jobs that wait, and which of them make up the next batch: in order of arrival as far as their keys allow. */
final class JobQueue<J extends Job> {

    private final BatchLimits limits;
    private final LinkedList<Batch.Waiting<J>> waiting = new LinkedList<>();
    private final Map<Object, Integer> waitingByKey = new HashMap<>();
    private final Set<Object> busy = new HashSet<>();
    private long waitingBytes;
    private int largeWaiting;
    private int underWay;
    private boolean largeUnderWay;
    private long lastBegun = System.nanoTime();

    JobQueue(BatchLimits limits) {
        this.limits = limits;
    }

    synchronized int waiting() {
        return waiting.size();
    }

    synchronized void add(J job) {
        boolean full = waiting.size() >= limits.queued()
                || waitingBytes + job.bytes() > limits.queuedBytes() && !waiting.isEmpty();
        boolean hot = job.keys().stream().anyMatch(key -> waitingByKey.getOrDefault(key, 0) >= limits.queued() / 2);
        if (full || hot) {
            throw new Unavailable(ProblemCode.OVERLOADED, full
                    ? "More calls wait here than this instance can take in."
                    : "Too many calls for the same state wait here.", Duration.ofSeconds(1), null);
        }
        waiting.add(new Batch.Waiting<>(job, System.nanoTime(), Origin.current()));
        count(job, 1);
    }

    private void count(J job, int sign) {
        waitingBytes += sign * job.bytes();
        largeWaiting += isLarge(job) ? sign : 0;
        job.keys().forEach(key -> waitingByKey.merge(key, sign, (a, b) -> a + b == 0 ? null : a + b));
    }

    /**
     * How many jobs there would be if all callers of a batch that was done came back, if more than one of them can: those of
     * jobs that are done again have no answer yet, and large ones are often many of one caller.
     *
     * @param again those of its jobs that are not done yet
     * @return no more than are taken at a time, or may wait; 0 if there is nobody to wait for
     */
    synchronized int wantedAfter(Batch<J> batch, List<J> again) {
        int callers = batch.large() ? 0 : batch.taken().size() - again.size();
        return callers < 2 ? 0 : Math.min(waiting.size() + callers, Math.min(limits.size(), limits.queued()));
    }

    /** What can be begun now; empty if nothing can. */
    synchronized Batch<J> next() {
        return mayBegin(false) || largeWaiting > 0 && mayBegin(true) ? take() : new Batch<>(List.of(), false, 0);
    }

    private Batch<J> take() {
        Draft draft = new Draft();
        for (Iterator<Batch.Waiting<J>> each = waiting.iterator(); each.hasNext() && !draft.isFull();) {
            Batch.Waiting<J> next = each.next();
            if (refuseIfLate(next) || draft.takes(next)) {
                each.remove();
                count(next.job(), -1);
            }
        }
        Batch<J> batch = draft.batch();
        begin(batch);
        return batch;
    }

    private boolean refuseIfLate(Batch.Waiting<J> next) {
        boolean late = System.nanoTime() - next.since() > limits.patience().toNanos();
        if (late) {
            next.job()
                    .refuse(new Unavailable(ProblemCode.OVERLOADED, "This call waited here for too long.",
                            Duration.ofSeconds(1), null));
        }
        return late;
    }

    /** A batch in the making, while the jobs that wait are gone through in their order. */
    private final class Draft {

        private final List<Batch.Waiting<J>> taken = new ArrayList<>();
        private final Map<Object, Integer> takenByKey = new HashMap<>();
        /** Keys whose next job has to come before all later ones. */
        private final Set<Object> passedOver = new HashSet<>(busy);
        private int size;
        private long bytes;

        boolean isFull() {
            return size >= limits.size();
        }

        boolean takes(Batch.Waiting<J> next) {
            J job = next.job();
            boolean takes = fits(job) && isInTurn(job);
            if (takes) {
                taken.add(next);
                job.keys().forEach(key -> takenByKey.merge(key, 1, Integer::sum));
                size += job.size();
                bytes += job.bytes();
            } else {
                passedOver.addAll(job.keys());
            }
            return takes;
        }

        private boolean fits(J job) {
            return taken.isEmpty()
                    ? mayBegin(isLarge(job))
                    : isLarge(job) == holdsLarge() && size + job.size() <= limits.size()
                            && bytes + job.bytes() <= limits.bytes();
        }

        private boolean isInTurn(J job) {
            return Collections.disjoint(passedOver, job.keys()) && job.keys()
                    .stream()
                    .allMatch(key -> takenByKey.getOrDefault(key, 0) < limits.perKey());
        }

        private boolean holdsLarge() {
            return !taken.isEmpty() && isLarge(taken.getFirst().job());
        }

        Batch<J> batch() {
            return new Batch<>(taken, holdsLarge(), size);
        }
    }

    private boolean isLarge(J job) {
        return job.size() > 1 || job.bytes() >= limits.largeFrom();
    }

    private boolean mayBegin(boolean large) {
        return large
                ? !largeUnderWay
                : underWay < limits.inFlight() || underWay < limits.most()
                        && System.nanoTime() - lastBegun >= limits.slow().toNanos();
    }

    private void begin(Batch<J> batch) {
        batch.taken().forEach(each -> busy.addAll(each.job().keys()));
        if (batch.large()) {
            largeUnderWay = true;
        } else if (!batch.isEmpty()) {
            underWay++;
            lastBegun = System.nanoTime();
        }
    }

    /** @param again those of its jobs that come before all others now */
    synchronized void done(Batch<J> batch, List<J> again) {
        if (batch.large()) {
            largeUnderWay = false;
        } else {
            underWay--;
        }
        batch.taken().forEach(each -> busy.removeAll(each.job().keys()));
        for (Batch.Waiting<J> each : batch.taken().reversed()) {
            if (again.contains(each.job())) {
                waiting.addFirst(each);
                count(each.job(), 1);
            }
        }
    }
}

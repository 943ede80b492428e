package dev.statehouse.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Time;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;

/** Keeps the writes of one id in this process from racing each other, in order of arrival; the log decides all the same. */
final class IdLocks {

    private static final int STRIPES = 1024;

    private final List<ReentrantLock> stripes = IntStream.range(0, STRIPES)
            .mapToObj(i -> new ReentrantLock(true))
            .toList();
    private final Duration patience;

    IdLocks(Duration patience) {
        this.patience = patience;
    }

    /** Gives them back when closed. */
    interface Held extends AutoCloseable {

        @Override
        void close();
    }

    /** Always in one order, so that two that want some of the same do not wait for each other. */
    Held lock(Collection<StateId> ids) {
        List<ReentrantLock> held = new ArrayList<>();
        Held all = () -> held.reversed().forEach(ReentrantLock::unlock);
        try {
            ids.stream()
                    .mapToInt(id -> Math.floorMod(id.hashCode(), STRIPES))
                    .distinct()
                    .sorted()
                    .mapToObj(stripes::get)
                    .forEach(stripe -> {
                        lock(stripe);
                        held.add(stripe);
                    });
            return all;
        } catch (Unavailable busy) {
            all.close();
            throw busy;
        }
    }

    private void lock(ReentrantLock lock) {
        try {
            if (!lock.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new Unavailable(ProblemCode.OVERLOADED, "Too many writes of the same state wait here.",
                        Duration.ofSeconds(1), null);
            }
        } catch (InterruptedException e) {
            throw Time.interrupted();
        }
    }
}

package dev.statehouse.ops;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import dev.statehouse.ledger.Time;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What ClickHouse says of itself, for metrics. It is asked when somebody reads the metrics, but not more often than every
 * half a minute, and who reads does not wait for it: the answer is there at the next reading.
 *
 * @param <T> what is asked for
 */
final class Survey<T extends Object> {

    private static final Logger LOG = LoggerFactory.getLogger(Survey.class);
    private static final Duration EVERY = Duration.ofSeconds(30);
    private static final Duration GOOD_FOR = Duration.ofMinutes(5);

    private final String name;
    private final Supplier<T> question;
    private final Time time;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile @Nullable Answer<T> answer;
    private volatile @Nullable Long askedAt;

    private record Answer<T>(T value, long at) {}

    Survey(String name, Supplier<T> question, Time time) {
        this.name = name;
        this.question = question;
        this.time = time;
    }

    /** Not a number as long as there is no answer, or none of the last minutes. */
    double read(ToDoubleFunction<T> part) {
        askIfDue();
        Answer<T> known = answer;
        return known == null || isOver(known.at(), GOOD_FOR) ? Double.NaN : part.applyAsDouble(known.value());
    }

    private void askIfDue() {
        Long last = askedAt;
        if ((last == null || isOver(last, EVERY)) && asking.compareAndSet(false, true)) {
            askedAt = time.nanos();
            Thread.ofVirtual().name("survey of " + name).start(this::ask);
        }
    }

    private void ask() {
        try {
            answer = new Answer<>(question.get(), time.nanos());
        } catch (RuntimeException e) {
            LOG.debug("No survey of {} this time", name, e);
        } finally {
            asking.set(false);
        }
    }

    private boolean isOver(long since, Duration limit) {
        return time.since(since).compareTo(limit) >= 0;
    }
}

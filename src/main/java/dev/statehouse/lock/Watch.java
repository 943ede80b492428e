package dev.statehouse.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Time;
import dev.statehouse.problem.Unavailable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the log of one id for all that wait for it here, and gives their signs of life. It runs on a virtual thread of
 * its own while anybody waits.
 */
final class Watch {

    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    private static final Duration SIGN_EVERY = Duration.ofSeconds(2);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(250);

    private final StateId id;
    private final LedgerParts parts;
    private final Duration poll;
    private final Predicate<Watch> endIfEmpty;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition looked = guard.newCondition();
    private final List<Seat> seats = new ArrayList<>();
    private @Nullable Sight sight;
    private boolean started;

    Watch(StateId id, LedgerParts parts, Duration poll, Predicate<Watch> endIfEmpty) {
        this.id = id;
        this.parts = parts;
        this.poll = poll;
        this.endIfEmpty = endIfEmpty;
    }

    StateId id() {
        return id;
    }

    Seat join(String lock) {
        guard.lock();
        try {
            Seat seat = new Seat(lock, parts.time().nanos());
            seats.add(seat);
            if (!started) {
                started = true;
                Thread.ofVirtual().name("watch ", 0).start(this::run);
            }
            return seat;
        } finally {
            guard.unlock();
        }
    }

    boolean isEmpty() {
        guard.lock();
        try {
            return seats.isEmpty();
        } finally {
            guard.unlock();
        }
    }

    private void run() {
        try {
            lookWhileAnybodyWaits();
        } finally {
            guard.lock();
            started = false;
            guard.unlock();
        }
    }

    private void lookWhileAnybodyWaits() {
        while (!endIfEmpty.test(this)) {
            try {
                giveSigns();
                Look look = parts.ledger().look(List.of(id));
                parts.snapshots().keepUp(id, look.fold(id));
                publish(Sight.of(id, look));
                parts.time().sleep(pause(parts.time().since(look.sentAt())));
            } catch (Unavailable e) {
                parts.time().sleep(PAUSE_AFTER_FAILURE);
            } catch (RuntimeException e) {
                // Those who wait look by themselves at the end, and tell it; without a watch they would wait in vain.
                LOG.warn("Looking at the lock of '{}' failed", id, e);
                parts.time().sleep(PAUSE_AFTER_FAILURE);
            }
        }
    }

    /** Between once and twice the usual: slow looks must not keep ClickHouse from what the holder wants of it. */
    private Duration pause(Duration lookTook) {
        Duration twice = poll.multipliedBy(2);
        return lookTook.compareTo(poll) < 0 ? poll : lookTook.compareTo(twice) < 0 ? lookTook : twice;
    }

    private void giveSigns() {
        List<Entry> due = new ArrayList<>();
        guard.lock();
        try {
            for (Seat seat : seats) {
                if (parts.time().since(seat.signedAt).compareTo(SIGN_EVERY) >= 0) {
                    seat.signedAt = parts.time().nanos();
                    due.add(Entry.sign(id, parts.ids().next(), seat.lock));
                }
            }
        } finally {
            guard.unlock();
        }
        if (!due.isEmpty()) {
            parts.appender().append(due);
        }
    }

    /** A look of this watch or of somebody else here; one that was sent before the newest says nothing new. */
    void publish(Sight seen) {
        guard.lock();
        try {
            if (sight == null || isLater(seen, sight)) {
                sight = seen;
                looked.signalAll();
            }
        } finally {
            guard.unlock();
        }
    }

    private boolean isLaterThan(Sight known) {
        return sight != null && isLater(sight, known);
    }

    private static boolean isLater(Sight one, Sight other) {
        return one.look().sentAt() - other.look().sentAt() > 0;
    }

    /** The place of one that waits here. */
    final class Seat implements AutoCloseable {

        private final String lock;
        private long signedAt;

        private Seat(String lock, long signedAt) {
            this.lock = lock;
            this.signedAt = signedAt;
        }

        /**
         * Waits for a look that was sent later than one that is known.
         *
         * @param known what the caller saw last, after all that it did itself
         * @param most how long
         * @return the newest look; the known one if there is none later
         */
        Sight next(Sight known, Duration most) {
            guard.lock();
            try {
                long nanos = most.toNanos();
                while (!isLaterThan(known) && nanos > 0) {
                    nanos = looked.awaitNanos(nanos);
                }
                return isLaterThan(known) ? Objects.requireNonNull(sight) : known;
            } catch (InterruptedException e) {
                throw Time.interrupted();
            } finally {
                guard.unlock();
            }
        }

        @Override
        public void close() {
            guard.lock();
            try {
                seats.remove(this);
            } finally {
                guard.unlock();
            }
        }
    }
}

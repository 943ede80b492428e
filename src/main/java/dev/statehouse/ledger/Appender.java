package dev.statehouse.ledger;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;

/**
 * Appends to the log, and sends the same rows again as they were while the answer is an error or lost: a row that is
 * there twice does no harm, one that is not there might.
 */
public final class Appender {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private final Ledger ledger;
    private final Time time;
    private final Duration patience;

    /** @param patience how long to send again before giving up */
    public Appender(Ledger ledger, Time time, Duration patience) {
        this.ledger = ledger;
        this.time = time;
        this.patience = patience;
    }

    /** @throws Unavailable if it was not told in time; the rows may be there, or yet come to be */
    public void append(List<Entry> entries) {
        ask(() -> {
            ledger.append(entries);
            return true;
        });
    }

    public void append(Entry entry) {
        append(List.of(entry));
    }

    /**
     * Any INSERT that does the same when it is done twice.
     *
     * @param since {@link Time#nanos()} of what it rests on
     * @param atMost how long after that it may still be sent
     */
    public void resend(Runnable insert, long since, Duration atMost) {
        ask(() -> {
            insert.run();
            return true;
        }, () -> {
            if (time.since(since).compareTo(atMost) > 0) {
                throw new Unavailable(ProblemCode.WRITE_UNCONFIRMED, "This instance was stopped for too long.",
                        Duration.ofSeconds(1), null);
            }
        });
    }

    /** Anything that may be asked twice. */
    public <T extends Object> T ask(Supplier<T> question) {
        return ask(question, () -> {});
    }

    private <T extends Object> T ask(Supplier<T> question, Runnable mayBeAsked) {
        long start = time.nanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            mayBeAsked.run();
            try {
                return question.get();
            } catch (Unavailable unknown) {
                if (time.since(start).plus(pause).compareTo(patience) > 0) {
                    throw unknown;
                }
                time.sleep(pause);
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
            }
        }
    }
}

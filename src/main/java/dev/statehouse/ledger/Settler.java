package dev.statehouse.ledger;

import java.time.Duration;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that the last write that counts is in the state table, whoever made it and wherever that one stalled:
 * <ol>
 * <li>Settled is a write that a {@code done} names, or whose version the table's row has reached.
 * <li>Any other is put there from the log: same version, same bytes, so twice is once.
 * <li>Between 10 and 15 minutes of its age nothing is done on its id, for its content is about to be forgotten; after
 * that it is left alone.
 * </ol>
 */
public final class Settler {

    private static final Logger LOG = LoggerFactory.getLogger(Settler.class);
    private static final Duration HELPED_UNTIL = Duration.ofMinutes(10);
    private static final Duration LEFT_ALONE_FROM = Duration.ofMinutes(15);

    private final Ledger ledger;
    private final Appender appender;
    private final Time time;

    public Settler(Ledger ledger, Appender appender, Time time) {
        this.ledger = ledger;
        this.appender = appender;
        this.time = time;
    }

    /**
     * @param state what the log says of the id
     * @param look what that comes from
     * @return whether something had to be done
     * @throws Unavailable if it could not be done, or may not be done yet
     */
    public boolean settle(StateId id, FoldState state, Look look) {
        return state.last() != null && !state.last().done()
                && settle(id, state, look, ledger.storedVersion(id));
    }

    /** @param storedVersion the version of the table's row, read after the log */
    public boolean settle(StateId id, FoldState state, Look look, long storedVersion) {
        CountedWrite last = state.last();
        if (last == null || last.done() || storedVersion >= last.version()) {
            return false;
        }
        Duration age = Duration.ofMillis(look.serverTime() - last.at());
        if (age.compareTo(LEFT_ALONE_FROM) > 0) {
            return false;
        }
        if (age.compareTo(HELPED_UNTIL) > 0) {
            throw new Unavailable(ProblemCode.CLICKHOUSE_UNAVAILABLE,
                    "The last write of '" + id + "' was left unfinished by an outage; nothing is done on this id until"
                            + " that write is %d minutes old.".formatted(LEFT_ALONE_FROM.toMinutes()),
                    LEFT_ALONE_FROM.minus(age), null);
        }
        LOG.debug("Helping the write of version {} of '{}'", last.version(), id);
        try {
            appender.resend(() -> ledger.settle(id, last.eventId()), look.sentAt(), HELPED_UNTIL.minus(age));
        } catch (Unavailable outage) {
            throw new Unavailable(ProblemCode.CLICKHOUSE_UNAVAILABLE,
                    "The last write of '" + id + "' could not be finished,"
                            + " so nothing else was done: " + outage.detail(),
                    outage.retryAfter(), outage);
        }
        return true;
    }
}

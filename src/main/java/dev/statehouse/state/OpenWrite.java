package dev.statehouse.state;

import java.time.Duration;

import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import org.jspecify.annotations.Nullable;

/** One write that waits for its outcome. One thread at a time has to do with it. */
final class OpenWrite {

    private final Write write;
    private final Runnable answered;
    private @Nullable Outcome outcome;
    private boolean counted;

    /** @param answered is told once there is an outcome */
    OpenWrite(Write write, Runnable answered) {
        this.write = write;
        this.answered = answered;
    }

    Write write() {
        return write;
    }

    /** Null while it is open. */
    @Nullable
    Outcome outcome() {
        return outcome;
    }

    boolean isOpen() {
        return outcome == null;
    }

    void answer(Outcome what) {
        outcome = what;
        answered.run();
    }

    /** An announcement of it counted, but a later row was there, so it starts again. */
    void hasCounted() {
        counted = true;
    }

    /** It is not stored, as far as this attempt goes. If one before counted, an outage leaves that open. */
    void refuse(Problem problem) {
        Problem told = counted && problem instanceof Unavailable outage ? unconfirmed(outage) : problem;
        answer(new Outcome.Refused(told, 0));
    }

    static Unavailable unconfirmed(Unavailable outage) {
        return unconfirmed("ClickHouse went away", outage);
    }

    /** @param what happened in the middle of it, as a sentence begins */
    static Unavailable unconfirmed(String what, @Nullable Throwable cause) {
        return new Unavailable(ProblemCode.WRITE_UNCONFIRMED, what + " in the middle of this write: it may count, once"
                + " or never. Read the state again, or repeat the write with If-Match.", Duration.ofSeconds(1), cause);
    }
}

package dev.statehouse.lock;

import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.Unavailable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/** Who reads under a lease is told how many wait for it, as with every write. */
@Component
public final class Waiters {

    private static final Logger LOG = LoggerFactory.getLogger(Waiters.class);

    private final LockStrategy locks;

    Waiters(LockStrategy locks) {
        this.locks = locks;
    }

    /**
     * @param request its headers; those of one without a {@value LockTokens#HEADER} cost nothing
     * @param read given further headers for its answer; a problem of it is told the same
     */
    public <T> T told(StateId id, HttpHeaders request, Function<HttpHeaders, T> read) {
        HttpHeaders more = new HttpHeaders();
        if (LockTokens.of(request).isEmpty()) {
            return read.apply(more);
        }
        OptionalInt waiting = waiting(id);
        waiting.ifPresent(n -> more.set(LockTokens.WAITING_HEADER, Integer.toString(n)));
        try {
            return read.apply(more);
        } catch (Problem problem) {
            waiting.ifPresent(problem::underLease);
            throw problem;
        }
    }

    /** A call under a lease that is refused before its lock was looked at is told too how many wait for that. */
    public <T> T toldWhenRefused(StateId id, HttpHeaders request, Supplier<T> call) {
        try {
            return call.get();
        } catch (Problem problem) {
            if (problem.waiting().isEmpty() && !LockTokens.of(request).isEmpty()) {
                waiting(id).ifPresent(problem::underLease);
            }
            throw problem;
        }
    }

    /** Reading is free: what is only a hint does not keep anybody from it. */
    private OptionalInt waiting(StateId id) {
        try {
            return OptionalInt.of(locks.waiting(id));
        } catch (Unavailable e) {
            LOG.warn("How many wait for the lock of '{}' could not be asked: {}", id, e.detail());
            return OptionalInt.empty();
        }
    }
}

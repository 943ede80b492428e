package dev.statehouse.lock;

import java.util.function.Function;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.Problem;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/** Who reads under a lease is told how many wait for it, as with every write. */
@Component
public final class Waiters {

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
        int waiting = locks.find(id).map(HeldLock::waiting).orElse(0);
        more.set(LockTokens.WAITING_HEADER, Integer.toString(waiting));
        try {
            return read.apply(more);
        } catch (Problem problem) {
            throw problem.underLease(waiting);
        }
    }
}

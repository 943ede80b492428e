package dev.statehouse.auth;

import java.util.Collection;
import java.util.List;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.Forbidden;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;

/**
 * What the caller of the present call may do. To be asked on the thread of the call, for every id that the call touches
 * besides the one in its path, which {@link Needs} is about.
 */
@Component
public final class Access {

    private static final int MOST_NAMED = 100;

    /** Who calls; anybody where no authentication is configured. */
    public Caller caller() {
        return SecurityContextHolder.getContext().getAuthentication() instanceof CallerAuthentication known
                ? known.getPrincipal()
                : Caller.ANYBODY;
    }

    /** @throws Forbidden if the caller does not have this role for any id */
    public void check(Role role) {
        if (!caller().has(role)) {
            Audit.denied(caller(), role, List.of());
            throw new Forbidden(role.word(), List.of());
        }
    }

    /** @throws Forbidden if the caller does not have this role for that id */
    public void check(Role role, StateId id) {
        check(role, List.of(id));
    }

    /** @throws Forbidden if the caller does not have this role for one of these; names them, a hundred at the most */
    public void check(Role role, Collection<StateId> ids) {
        Caller caller = caller();
        List<StateId> refused = ids.stream().filter(caller.reaches(role).negate()).limit(MOST_NAMED).toList();
        if (!refused.isEmpty()) {
            Audit.denied(caller, role, refused);
            throw new Forbidden(role.word(), refused);
        }
    }

    /** What is left of a pattern for this caller: what it does not reach, it does not see. */
    public Glob within(Role role, Glob pattern) {
        Caller caller = caller();
        return caller.isAnybody() ? pattern : pattern.within(caller.reach(role));
    }
}

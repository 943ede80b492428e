package dev.statehouse.auth;

import java.util.List;
import java.util.function.Predicate;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;

/**
 * Who calls.
 *
 * @param subject who it is, across all tokens of theirs
 * @param token the name of the token, never the token itself
 * @param grants what it may do
 */
public record Caller(String subject, String token, List<Grant> grants) {

    /** Where no authentication is configured. */
    static final Caller ANYBODY = new Caller("-", "-", List.of(new Grant(Role.OPERATOR, List.of(Glob.ALL))));

    public Caller {
        grants = List.copyOf(grants);
    }

    /** Whether this is somebody who did not have to say who they are. */
    public boolean isAnybody() {
        return this == ANYBODY;
    }

    /** Whether there is such a role, for whatever ids. */
    boolean has(Role role) {
        return grants.stream().anyMatch(grant -> grant.role().covers(role));
    }

    /** The ids that the role reaches, as patterns. */
    List<Glob> reach(Role role) {
        return grants.stream()
                .filter(grant -> grant.role().covers(role))
                .flatMap(grant -> grant.ids().stream())
                .distinct()
                .toList();
    }

    boolean may(Role role, StateId id) {
        return reaches(role).test(id);
    }

    /** {@link #may} for many ids. */
    Predicate<StateId> reaches(Role role) {
        List<Glob> reach = reach(role);
        return id -> isAnybody() || reach.stream().anyMatch(glob -> glob.matches(id));
    }
}

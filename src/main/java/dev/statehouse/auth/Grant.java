package dev.statehouse.auth;

import java.util.List;

import dev.statehouse.id.Glob;

/**
 * A role for some ids.
 *
 * @param ids patterns; none of them means that the role reaches no id, which is enough to read metrics
 */
record Grant(Role role, List<Glob> ids) {

    Grant {
        ids = List.copyOf(ids);
    }
}

package dev.statehouse.state;

import java.util.Set;

import dev.statehouse.id.StateId;

/**
 * One write of one id.
 *
 * @param id the id to write
 * @param preconditions what must hold of it
 * @param change what becomes of it
 * @param leases hashes of the lock_ids that the call is made under
 * @param companions further ids that the call touches, which some of the leases may be on
 */
record Write(StateId id, Preconditions preconditions, Change change, Set<String> leases, Set<StateId> companions) {

    Write(StateId id, Preconditions preconditions, Change change, Set<String> leases) {
        this(id, preconditions, change, leases, Set.of());
    }
}

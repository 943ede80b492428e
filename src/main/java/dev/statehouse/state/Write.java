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
 * @param buildsOn whether what comes of it holds parts of what is stored
 */
record Write(StateId id, Preconditions preconditions, Change change, Set<String> leases, Set<StateId> companions,
        boolean buildsOn) {

    Write(StateId id, Preconditions preconditions, Change change, Set<String> leases) {
        this(id, preconditions, change, leases, Set.of(), false);
    }

    Write touching(StateId companion) {
        return new Write(id, preconditions, change, leases, Set.of(companion), buildsOn);
    }

    Write buildingOn() {
        return new Write(id, preconditions, change, leases, companions, true);
    }

    /** @param lease the hash of a lock_id */
    Write under(String lease) {
        return new Write(id, preconditions, change, Set.of(lease), companions, buildsOn);
    }
}

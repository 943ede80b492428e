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
 * @param writesAll whether the call goes on to write the companions, so that a lock on one of them stops it here
 * @param buildsOn whether what comes of it holds parts of what is stored
 */
record Write(StateId id, Preconditions preconditions, Change change, Set<String> leases, Set<StateId> companions,
        boolean writesAll, boolean buildsOn) {

    Write(StateId id, Preconditions preconditions, Change change, Set<String> leases) {
        this(id, preconditions, change, leases, Set.of(), false, false);
    }

    /** The call reads that id too. */
    Write reading(StateId companion) {
        return new Write(id, preconditions, change, leases, Set.of(companion), false, buildsOn);
    }

    /** The call writes that id too. */
    Write besides(StateId companion) {
        return new Write(id, preconditions, change, leases, Set.of(companion), true, buildsOn);
    }

    Write buildingOn() {
        return new Write(id, preconditions, change, leases, companions, writesAll, true);
    }

    /** Whether what comes of it depends on what is stored now. */
    boolean restsOnWhatIsStored() {
        return buildsOn || !preconditions.equals(Preconditions.NONE);
    }

    /** @param lease the hash of a lock_id */
    Write under(String lease) {
        return new Write(id, preconditions, change, Set.of(lease), companions, writesAll, buildsOn);
    }
}

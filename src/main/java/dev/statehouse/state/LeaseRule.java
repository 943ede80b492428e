package dev.statehouse.state;

import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.statehouse.id.StateId;
import dev.statehouse.lock.LiveLease;
import dev.statehouse.lock.LockProblems;

/** No write gets past a live lease of somebody else, nor one under a lease that has ended. */
final class LeaseRule {

    private LeaseRule() {}

    /**
     * @param leases the lease that is live on an id
     * @return the hash of the lock_id that the write is made under; "" for none
     * @throws dev.statehouse.problem.Problem if it may not be made
     */
    static String check(Write write, Function<StateId, Optional<LiveLease>> leases) {
        write.leases()
                .stream()
                .filter(lease -> touched(write)
                        .noneMatch(id -> leases.apply(id).filter(live -> live.lock().equals(lease)).isPresent()))
                .findAny()
                .ifPresent(dead -> {
                    throw LockProblems.lost(write.id());
                });
        return leases.apply(write.id()).map(live -> {
            if (!write.leases().contains(live.lock())) {
                throw LockProblems.locked(live);
            }
            return live.lock();
        }).orElse("");
    }

    private static Stream<StateId> touched(Write write) {
        return Stream.concat(Stream.of(write.id()), write.companions().stream());
    }
}

package dev.statehouse.state;

import java.util.List;
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
        if (write.writesAll()) {
            write.companions().forEach(id -> lockOf(id, write, leases));
        }
        return lockOf(write.id(), write, leases);
    }

    private static String lockOf(StateId id, Write write, Function<StateId, Optional<LiveLease>> leases) {
        return leases.apply(id).map(live -> {
            if (!write.leases().contains(live.lock())) {
                throw LockProblems.locked(live);
            }
            return live.lock();
        }).orElse("");
    }

    /**
     * How many wait for the leases that the write is made under.
     *
     * @param otherwise how many wait for the lock of its id, where it is made under none
     */
    static int waiting(Write write, Function<StateId, Optional<LiveLease>> leases, int otherwise) {
        List<LiveLease> own = touched(write).map(leases)
                .flatMap(Optional::stream)
                .filter(live -> write.leases().contains(live.lock()))
                .toList();
        return own.isEmpty() ? otherwise : own.stream().mapToInt(LiveLease::waiting).sum();
    }

    private static Stream<StateId> touched(Write write) {
        return Stream.concat(Stream.of(write.id()), write.companions().stream());
    }
}

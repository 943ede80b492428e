package dev.statehouse.state;

import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Holder;
import dev.statehouse.lock.LockProblems;

/** No write gets past a live lease of somebody else, nor one under a lease that has ended. */
final class LeaseRule {

    private LeaseRule() {}

    /**
     * @param states what the log says of each id
     * @param serverTime the server's clock when that was read
     * @return the hash of the lock_id that the write is made under; "" for none
     * @throws dev.statehouse.problem.Problem if it may not be made
     */
    static String check(Write write, Function<StateId, FoldState> states, long serverTime) {
        write.leases()
                .stream()
                .filter(lease -> touched(write).noneMatch(
                        id -> live(states.apply(id), serverTime).filter(holder -> holder.lock().equals(lease))
                                .isPresent()))
                .findAny()
                .ifPresent(dead -> {
                    throw LockProblems.lost(write.id());
                });
        FoldState state = states.apply(write.id());
        return live(state, serverTime).map(holder -> {
            if (!write.leases().contains(holder.lock())) {
                throw LockProblems.locked(write.id(), holder, waiting(state, serverTime));
            }
            return holder.lock();
        }).orElse("");
    }

    private static Stream<StateId> touched(Write write) {
        return Stream.concat(Stream.of(write.id()), write.companions().stream());
    }

    /** The lease that is live now: a lease is over too when the server's time is past its end, and no row says so yet. */
    static Optional<Holder> live(FoldState state, long serverTime) {
        return state.holderAt(Math.max(state.logTime(), serverTime));
    }

    static int waiting(FoldState state, long serverTime) {
        return state.queueAt(Math.max(state.logTime(), serverTime)).size();
    }
}

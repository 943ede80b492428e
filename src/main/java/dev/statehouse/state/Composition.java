package dev.statehouse.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import dev.statehouse.id.StateId;
import dev.statehouse.lock.LiveLease;
import dev.statehouse.problem.Locked;
import dev.statehouse.problem.Problem;
import org.jspecify.annotations.Nullable;

/**
 * What the writes of one id come to, one after the other.
 *
 * @param row the row to store; null if nothing changes
 * @param lock the lease that it is made under, as a hash; "" for none
 * @param decided what is answered to each of the writes once the row is stored
 */
record Composition(@Nullable StateRow row, String lock, List<Decided> decided) {

    /** One of the writes, by its number, and its answer. */
    record Decided(int number, Outcome outcome) {}

    /**
     * What the writes find.
     *
     * @param current what is stored
     * @param oldest the least version that a row may get, in epoch milliseconds
     * @param leases the lease that is live on an id
     * @param waiting how many wait for the lock
     * @param maxStateBytes the largest state that may come of it
     */
    record Found(StoredState current, long oldest, Function<StateId, Optional<LiveLease>> leases, int waiting,
            long maxStateBytes) {}

    /**
     * @param numbers which of the writes, all of one id
     * @param writes all writes
     * @param hindrance why nothing can be written under that id; null if nothing hinders
     */
    static Composition of(List<Integer> numbers, List<Write> writes, Found found, @Nullable Problem hindrance) {
        StoredState current = found.current();
        StateRow row = null;
        String lock = "";
        List<Decided> decided = new ArrayList<>();
        for (int number : numbers) {
            Write write = writes.get(number);
            int waiting = LeaseRule.waiting(write, found.leases(), found.waiting());
            try {
                if (hindrance != null) {
                    throw hindrance;
                }
                String under = LeaseRule.check(write, found.leases());
                Decision decision = Decision.of(write, current, found.oldest(), found.maxStateBytes());
                if (decision.row() != null) {
                    row = decision.row();
                    lock = under;
                    current = decision.state();
                }
                decided.add(new Decided(number, new Outcome.Done(decision.state(), decision.created(), waiting)));
            } catch (Problem problem) {
                int told = problem instanceof Locked ? problem.waiting().orElse(waiting) : waiting;
                decided.add(new Decided(number, new Outcome.Refused(problem, told)));
            } catch (RuntimeException unforeseen) {
                // Of this write alone: others of the batch have nothing to do with it.
                decided.add(new Decided(number, new Outcome.Failed(unforeseen)));
            }
        }
        return new Composition(row, lock, decided);
    }
}

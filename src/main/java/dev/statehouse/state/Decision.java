package dev.statehouse.state;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.TooLarge;
import org.jspecify.annotations.Nullable;

/**
 * What a write comes to, given what is there: preconditions, change, size and version. Pure.
 *
 * @param outcome what the caller is told once the row is stored
 * @param row the row to store; null if there is nothing to store
 */
record Decision(Outcome outcome, @Nullable StateRow row) {

    /**
     * @param serverTime the store's clock in epoch milliseconds
     * @param maxStateBytes the largest state that may come of it
     */
    static Decision of(Write write, StoredState current, long serverTime, long maxStateBytes) {
        try {
            write.preconditions().check(current);
            Halves halves = write.change().apply(current);
            if (halves.isEmpty() && !current.exists()) {
                return new Decision(new Outcome.Done(current, false), null);
            }
            long size = halves.sizeBytes();
            if (size > maxStateBytes) {
                throw new TooLarge("The state of '%s' would be %,d bytes; the limit, statehouse.state.max-size, is %,d."
                        .formatted(write.id(), size, maxStateBytes));
            }
            StateRow row = row(write.id(), halves, Math.max(serverTime, current.version() + 1));
            return new Decision(new Outcome.Done(new StoredState(write.id(), row), !current.exists()), row);
        } catch (Problem problem) {
            return new Decision(new Outcome.Refused(problem), null);
        }
    }

    private static StateRow row(StateId id, Halves halves, long version) {
        return new StateRow(id, text(halves.partial()), text(halves.completed()), version);
    }

    private static @Nullable String text(@Nullable JsonObject object) {
        return object == null ? null : object.text();
    }
}

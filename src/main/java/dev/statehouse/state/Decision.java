package dev.statehouse.state;

import dev.statehouse.json.JsonObject;
import dev.statehouse.problem.TooLarge;
import org.jspecify.annotations.Nullable;

/**
 * What a write comes to, given what is there. Pure.
 *
 * @param state what is there once the row is stored
 * @param created whether there is no state before
 * @param row the row to store; null if there is nothing to store
 */
record Decision(StoredState state, boolean created, @Nullable StateRow row) {

    /**
     * @param oldest the least version that the row may get, in epoch milliseconds
     * @param maxStateBytes the largest state that may come of it
     * @throws dev.statehouse.problem.Problem if the write is refused
     */
    static Decision of(Write write, StoredState current, long oldest, long maxStateBytes) {
        write.preconditions().check(current);
        Halves halves = write.change().apply(current);
        if (halves.isEmpty() && !current.exists()) {
            return new Decision(current, false, null);
        }
        checkSize(halves, maxStateBytes);
        StateRow row = new StateRow(write.id(), text(halves.partial()), text(halves.completed()),
                Math.max(oldest, current.version() + 1));
        return new Decision(new StoredState(write.id(), row), !current.exists(), row);
    }

    /** @throws TooLarge if it is over the limit */
    static void checkSize(Halves halves, long maxStateBytes) {
        long size = halves.sizeBytes();
        if (size > maxStateBytes) {
            throw new TooLarge("The state would be %,d bytes; the limit, statehouse.state.max-size, is %,d."
                    .formatted(size, maxStateBytes));
        }
    }

    private static @Nullable String text(@Nullable JsonObject object) {
        return object == null ? null : object.text();
    }
}

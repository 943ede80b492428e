package dev.statehouse.state;

import dev.statehouse.id.StateId;
import org.jspecify.annotations.Nullable;

/**
 * One row of the state table, as it is stored: the texts may come from other writers and need not be JSON.
 *
 * @param id the state's id
 * @param partialState what an interrupted run got to, as JSON text; null if there is none
 * @param completedState what the last successful run left, as JSON text; null if there is none
 * @param version {@code updated_at} in epoch milliseconds; grows with every write of the id
 */
public record StateRow(StateId id, @Nullable String partialState, @Nullable String completedState, long version) {

    /** Characters of both halves together. */
    public int length() {
        return length(partialState) + length(completedState);
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}

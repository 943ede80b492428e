package dev.statehouse.state;

import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.statehouse.id.Timestamps;
import dev.statehouse.json.JsonObject;
import dev.statehouse.problem.Conflict;
import org.jspecify.annotations.Nullable;

/** One line of a listing, with the two halves; of a row that cannot be read, without. */
record DocumentLine(@JsonProperty("state_id") String stateId, long version,
        @JsonProperty("updated_at") String updatedAt, @JsonProperty("has_completed") boolean hasCompleted,
        @JsonProperty("has_partial") boolean hasPartial, @JsonProperty("size_bytes") long sizeBytes, boolean readable,
        @JsonProperty("completed_state") @JsonRawValue @Nullable String completedState,
        @JsonProperty("partial_state") @JsonRawValue @Nullable String partialState) {

    static DocumentLine of(StateRow row) {
        long size = size(row.completedState()) + size(row.partialState());
        String updatedAt = Timestamps.format(row.version());
        try {
            Halves halves = new StoredState(row.id(), row).halves();
            return new DocumentLine(row.id().value(), row.version(), updatedAt, halves.completed() != null,
                    halves.partial() != null, size, true, text(halves.completed()), text(halves.partial()));
        } catch (Conflict unreadable) {
            return new DocumentLine(row.id().value(), row.version(), updatedAt, row.completedState() != null,
                    row.partialState() != null, size, false, null, null);
        }
    }

    private static long size(@Nullable String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static @Nullable String text(@Nullable JsonObject object) {
        return object == null ? null : object.text();
    }
}

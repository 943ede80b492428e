package dev.statehouse.state;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.statehouse.id.Timestamps;
import dev.statehouse.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** One state as the HTTP contract shows it. */
record StateView(@JsonProperty("state_id") String stateId, long version, @JsonProperty("updated_at") String updatedAt,
        @JsonProperty("completed_state") @JsonRawValue @Nullable String completedState,
        @JsonProperty("partial_state") @JsonRawValue @Nullable String partialState) {

    static StateView of(StoredState state) {
        Halves halves = state.halves();
        return new StateView(state.id().value(), state.version(), Timestamps.format(state.version()),
                text(halves.completed()), text(halves.partial()));
    }

    private static @Nullable String text(@Nullable JsonObject object) {
        return object == null ? null : object.text();
    }
}

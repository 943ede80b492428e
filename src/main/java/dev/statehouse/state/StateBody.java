package dev.statehouse.state;

import java.util.Map;

import dev.statehouse.json.Bodies;
import dev.statehouse.json.JsonObject;
import dev.statehouse.json.JsonValue;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/**
 * The body of a PUT or PATCH.
 *
 * @param halves what it gives; a half that is null or empty counts as none
 * @param hasCompleted whether it names {@code completed_state} at all
 * @param hasPartial whether it names {@code partial_state} at all
 */
record StateBody(Halves halves, boolean hasCompleted, boolean hasPartial) {

    private static final String COMPLETED = "completed_state";
    private static final String PARTIAL = "partial_state";

    /** @param singer whether each half must be a Singer state */
    static StateBody parse(byte @Nullable [] body, boolean singer) {
        Map<String, JsonValue> fields = Bodies.fields(body);
        Bodies.refuseUnknown(fields, COMPLETED, PARTIAL);
        Halves halves = new Halves(half(fields, COMPLETED, singer), half(fields, PARTIAL, singer));
        return new StateBody(halves, fields.containsKey(COMPLETED), fields.containsKey(PARTIAL));
    }

    private static @Nullable JsonObject half(Map<String, JsonValue> fields, String name, boolean singer) {
        return half(name, fields.get(name), singer);
    }

    /**
     * One half, checked.
     *
     * @param value null where it is not given
     */
    static @Nullable JsonObject half(String name, @Nullable JsonValue value, boolean singer) {
        if (value == null || value.kind() == JsonValue.Kind.NULL) {
            return null;
        }
        JsonObject object = value.asObject(name);
        if (singer && !object.isEmpty() && !object.hasObject("singer_state")) {
            throw new InvalidInput(ProblemCode.NOT_SINGER_STATE, name + " has no top-level object singer_state;"
                    + " wrap the bookmarks as {\"singer_state\": {\"bookmarks\": …}}, or leave out validate=singer.");
        }
        return object;
    }
}

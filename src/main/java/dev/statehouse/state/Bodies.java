package dev.statehouse.state;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/** Reads JSON bodies: what a field is must be said by the call that knows it. */
final class Bodies {

    private Bodies() {}

    static Map<String, JsonValue> fields(byte @Nullable [] body) {
        if (body == null || body.length == 0) {
            throw new InvalidInput(ProblemCode.NOT_JSON, "The body is missing; this call takes a JSON object.");
        }
        return JsonValue.parse(body).asObject("The body").fields();
    }

    static void refuseUnknown(Map<String, JsonValue> fields, String... known) {
        List<String> names = Arrays.asList(known);
        fields.keySet().stream().filter(name -> !names.contains(name)).findFirst().ifPresent(name -> {
            throw new InvalidInput(ProblemCode.INVALID_BODY, "There is no field '%s' here; this call takes %s.%s"
                    .formatted(name, String.join(" and ", known), hint(name, names)));
        });
    }

    private static String hint(String name, List<String> known) {
        return known.stream()
                .filter(k -> k.startsWith(name) || k.replace("_", "").equalsIgnoreCase(name))
                .findFirst()
                .map(k -> " Did you mean " + k + "?")
                .orElse("");
    }

    /** The one id that a body such as {@code {"to": "…"}} names. */
    static StateId id(byte @Nullable [] body, String name) {
        Map<String, JsonValue> fields = fields(body);
        refuseUnknown(fields, name);
        JsonValue value = fields.get(name);
        if (value == null || value.kind() != JsonValue.Kind.STRING) {
            throw new InvalidInput(ProblemCode.INVALID_BODY,
                    "The body must name a state id as {\"" + name + "\": \"…\"}.");
        }
        return stateId(name, value.asString());
    }

    static StateId stateId(String where, String text) {
        try {
            return new StateId(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidInput(ProblemCode.INVALID_STATE_ID, where + ": " + e.getMessage());
        }
    }
}

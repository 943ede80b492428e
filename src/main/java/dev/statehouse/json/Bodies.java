package dev.statehouse.json;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/** Reads JSON bodies: what a field is must be said by the call that knows it. */
public final class Bodies {

    private Bodies() {}

    public static Map<String, JsonValue> fields(byte @Nullable [] body) {
        if (body == null || body.length == 0) {
            throw new InvalidInput(ProblemCode.NOT_JSON, "The body is missing; this call takes a JSON object.");
        }
        JsonValue value = JsonValue.parse(body);
        if (value.kind() != JsonValue.Kind.OBJECT) {
            throw invalid("The body must be a JSON object; this is of type %s.".formatted(
                    value.kind().name().toLowerCase(Locale.ROOT)));
        }
        return value.asObject("The body").fields();
    }

    public static void refuseUnknown(Map<String, JsonValue> fields, String... known) {
        List<String> names = Arrays.asList(known);
        fields.keySet().stream().filter(name -> !names.contains(name)).findFirst().ifPresent(name -> {
            throw new InvalidInput(ProblemCode.INVALID_BODY, "There is no field '%s' here; this call takes %s.%s"
                    .formatted(name, String.join(" and ", known), hint(name, names)));
        });
    }

    private static String hint(String name, List<String> known) {
        if (known.contains("completed_state") && (name.equals("singer_state") || name.equals("bookmarks"))) {
            return " Put what the tap emitted into {\"completed_state\": {\"singer_state\": …}}.";
        }
        return known.stream()
                .filter(k -> k.startsWith(name) || name.startsWith(k + "_")
                        || k.replace("_", "").equalsIgnoreCase(name))
                .findFirst()
                .map(k -> " Did you mean " + k + "?")
                .orElse("");
    }

    /** The one id that a body such as {@code {"to": "…"}} names. */
    public static StateId id(byte @Nullable [] body, String name) {
        Map<String, JsonValue> fields = fields(body);
        refuseUnknown(fields, name);
        JsonValue value = fields.get(name);
        if (value == null || value.kind() != JsonValue.Kind.STRING) {
            throw new InvalidInput(ProblemCode.INVALID_BODY,
                    "The body must name a state id as {\"" + name + "\": \"…\"}.");
        }
        return stateId(name, value.asString());
    }

    public static StateId stateId(String where, String text) {
        try {
            return new StateId(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidInput(ProblemCode.INVALID_STATE_ID, where + ": " + e.getMessage());
        }
    }

    /**
     * A text, as of an owner.
     *
     * @param most its longest length in characters
     * @throws InvalidInput if it is missing, empty, too long, no text, or holds control characters
     */
    public static String text(Map<String, JsonValue> fields, String name, int most) {
        JsonValue value = fields.get(name);
        if (value == null || value.kind() != JsonValue.Kind.STRING) {
            throw invalid("%s must be given, as a text.".formatted(name));
        }
        String text = value.asString();
        int length = text.codePointCount(0, text.length());
        if (text.isBlank() || length > most
                || text.codePoints()
                        .anyMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE)) {
            throw invalid("%s must be a text of 1 to %,d characters, none of them a control character.".formatted(name,
                    most));
        }
        return text;
    }

    /** A whole number in a range; {@code otherwise} where it is not given. */
    public static long integer(Map<String, JsonValue> fields, String name, long min, long max, long otherwise) {
        JsonValue value = fields.get(name);
        if (value == null) {
            return otherwise;
        }
        return value.asLong()
                .stream()
                .filter(number -> min <= number && number <= max)
                .findFirst()
                .orElseThrow(
                        () -> invalid("%s must be a whole number from %d to %d.".formatted(name, min, max)));
    }

    private static InvalidInput invalid(String detail) {
        return new InvalidInput(ProblemCode.INVALID_BODY, detail);
    }
}

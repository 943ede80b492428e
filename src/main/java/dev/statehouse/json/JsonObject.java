package dev.statehouse.json;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A JSON object kept as it was written: number text, key order and escapes stay, only white space between tokens goes.
 */
public final class JsonObject {

    public static final JsonObject EMPTY = new JsonObject("{}");

    private final String text;
    /** Counted when it is asked for, and not again; -1 before. */
    private int sizeBytes = -1;

    /** @param text compact text of a JSON object that was checked; use {@link #parse} for any other */
    JsonObject(String text) {
        this.text = text;
    }

    /**
     * Reads the text of one JSON object.
     *
     * @throws dev.statehouse.problem.InvalidInput as {@link JsonValue#parse(String)}, and with {@code NOT_AN_OBJECT} if
     *         the text is JSON but no object
     */
    public static JsonObject parse(String text) {
        return JsonValue.parse(text).asObject("A state");
    }

    /** An object without keys says the same as none at all: null for both. */
    public static @Nullable JsonObject nullIfEmpty(@Nullable JsonObject object) {
        return object == null || object.isEmpty() ? null : object;
    }

    /** The object's compact text. */
    public String text() {
        return text;
    }

    /** Bytes of the compact text in UTF-8. */
    public int sizeBytes() {
        int size = sizeBytes;
        if (size < 0) {
            size = text.getBytes(StandardCharsets.UTF_8).length;
            sizeBytes = size;
        }
        return size;
    }

    public boolean isEmpty() {
        return text.length() == 2;
    }

    /** Whether this key, not one further down, has an object as its value. */
    public boolean hasObject(String key) {
        JsonScanner scanner = new JsonScanner(text);
        while (scanner.nextMember()) {
            if (scanner.key().equals(key)) {
                return scanner.at('{');
            }
            scanner.skipValue();
        }
        return false;
    }

    /** The values of this object's own keys, in their order. Keys are without escapes. */
    public Map<String, JsonValue> fields() {
        Map<String, JsonValue> fields = new LinkedHashMap<>();
        JsonScanner scanner = new JsonScanner(text);
        while (scanner.nextMember()) {
            String key = scanner.key();
            int start = scanner.position();
            scanner.skipValue();
            fields.put(key, new JsonValue(text.substring(start, scanner.position())));
        }
        return Collections.unmodifiableMap(fields);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JsonObject object && object.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The object's compact text. */
    @Override
    public String toString() {
        return text;
    }
}

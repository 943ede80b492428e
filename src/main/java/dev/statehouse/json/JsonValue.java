package dev.statehouse.json;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.OptionalLong;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;

/**
 * Any JSON value, kept as it was written but for white space between tokens.
 */
public final class JsonValue {

    /** What a value is. */
    public enum Kind {
        OBJECT, ARRAY, STRING, NUMBER, BOOLEAN, NULL
    }

    private final String text;

    /** @param text compact text that was checked */
    JsonValue(String text) {
        this.text = text;
    }

    /**
     * Reads the bytes of UTF-8 of one JSON value.
     *
     * @throws InvalidInput with {@code NOT_JSON}, also for bytes that are not UTF-8; with {@code DUPLICATE_KEY} if an
     *         object at any depth has one key twice; with {@code JSON_LIMIT} if it is nested deeper than
     *         {@value JsonCheck#MAX_DEPTH} levels, or a number or a key is too long
     */
    public static JsonValue parse(byte[] utf8) {
        String text = new String(utf8, StandardCharsets.UTF_8);
        // This replaces what it cannot read by U+FFFD, which may as well be what was sent: only then look closer.
        if (text.indexOf('\uFFFD') >= 0) {
            requireUtf8(utf8);
        }
        return parse(text);
    }

    private static void requireUtf8(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (StandardCharsets.UTF_8.newDecoder().decode(in, CharBuffer.allocate(bytes.length), true).isError()) {
            throw new InvalidInput(ProblemCode.NOT_JSON,
                    "JSON must be UTF-8, but the bytes at offset %,d are not.".formatted(in.position()));
        }
    }

    /**
     * Reads the text of one JSON value.
     *
     * @throws InvalidInput as {@link #parse(byte[])}
     */
    public static JsonValue parse(String text) {
        JsonCheck.check(text);
        return new JsonValue(JsonScanner.compact(text));
    }

    public Kind kind() {
        return switch (text.charAt(0)) {
            case '{' -> Kind.OBJECT;
            case '[' -> Kind.ARRAY;
            case '"' -> Kind.STRING;
            case 't', 'f' -> Kind.BOOLEAN;
            case 'n' -> Kind.NULL;
            default -> Kind.NUMBER;
        };
    }

    /** The value's compact text, with its escapes. */
    public String text() {
        return text;
    }

    /**
     * The value as the object that it has to be.
     *
     * @param name what the value is to the user, for the message: a field's name, or "A state"
     * @throws InvalidInput with {@code NOT_AN_OBJECT} if it is anything else
     */
    public JsonObject asObject(String name) {
        if (kind() != Kind.OBJECT) {
            String hint = kind() == Kind.STRING ? " If it holds JSON, send that itself, not its text in a string." : "";
            throw new InvalidInput(ProblemCode.NOT_AN_OBJECT, "%s must be a JSON object; this is %s.%s".formatted(name,
                    kind() == Kind.NULL ? "null" : "of type " + kind().name().toLowerCase(Locale.ROOT), hint));
        }
        return new JsonObject(text);
    }

    /**
     * A string's characters, without quotes and escapes. It may hold half a surrogate pair.
     *
     * @throws IllegalStateException if the value is no string
     */
    public String asString() {
        if (kind() != Kind.STRING) {
            throw new IllegalStateException("Not a string but " + kind());
        }
        return JsonScanner.decode(text);
    }

    /** The whole number, however it is written, as {@code 12.0} too; empty for anything else, or beyond a long. */
    public OptionalLong asLong() {
        try {
            return kind() == Kind.NUMBER
                    ? OptionalLong.of(new BigDecimal(text).longValueExact())
                    : OptionalLong.empty();
        } catch (ArithmeticException | NumberFormatException beyond) {
            return OptionalLong.empty();
        }
    }

    /** The value's compact text. */
    @Override
    public String toString() {
        return text;
    }
}

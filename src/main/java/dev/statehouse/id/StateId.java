package dev.statehouse.id;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * The name of one state: any non-empty text of at most {@value #MAX_BYTES} bytes of UTF-8, without control characters,
 * and neither {@code .} nor {@code ..}.
 *
 * @param value the text itself, as its users write it: never percent-encoded
 */
public record StateId(String value) implements Comparable<StateId> {

    /** The longest id, in bytes of UTF-8. */
    public static final int MAX_BYTES = 1024;

    /**
     * @throws IllegalArgumentException if the text is no state id; the message says why, for the user
     */
    public StateId {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("A state id must not be empty.");
        }
        if (value.equals(".") || value.equals("..")) {
            throw new IllegalArgumentException(
                    "'" + value + "' is not a state id: '.' and '..' mean folders in a URL.");
        }
        value.codePoints().filter(StateId::isControl).findFirst().ifPresent(c -> {
            throw new IllegalArgumentException(
                    "A state id must not hold control characters; this one holds U+%04X.".formatted(c));
        });
        int bytes = utf8(value).remaining();
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("A state id is at most %,d bytes of UTF-8 long; this one has %,d."
                    .formatted(MAX_BYTES, bytes));
        }
    }

    private static boolean isControl(int codePoint) {
        return Character.getType(codePoint) == Character.CONTROL;
    }

    private static ByteBuffer utf8(String text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("A state id must be Unicode text; this one holds half a surrogate pair.",
                    e);
        }
    }

    /** Orders by the bytes of UTF-8, as ClickHouse does; that differs from {@link String#compareTo} beyond the BMP. */
    @Override
    public int compareTo(StateId other) {
        return java.util.Arrays.compareUnsigned(value.getBytes(StandardCharsets.UTF_8),
                other.value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return value;
    }
}

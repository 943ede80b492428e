package dev.statehouse.id;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Names one acquisition of a lock, and is the secret of its holder: whoever knows it may renew, release and write.
 *
 * @param value a UUID
 */
public record LockId(UUID value) {

    private static final Pattern UUID_TEXT = Pattern.compile(
            "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    /**
     * @throws IllegalArgumentException if the text is no UUID; the message does not repeat it, since it may be a secret
     */
    public static LockId parse(String text) {
        if (!UUID_TEXT.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "A lock_id is a UUID, such as 3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11; this is none.");
        }
        return new LockId(UUID.fromString(text));
    }

    /** What stands in tables in its place: SHA-256 in hex. */
    public String hash() {
        return Sha256.hex(value.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /** Its text as it goes to its holder. */
    public String text() {
        return value.toString();
    }

    /** Hides the secret: this may reach a log. */
    @Override
    public String toString() {
        return "LockId[" + hash().substring(0, 8) + "…]";
    }
}

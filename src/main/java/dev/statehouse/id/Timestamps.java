package dev.statehouse.id;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** How instants are written for users: RFC 3339, UTC, always with milliseconds. */
public final class Timestamps {

    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'")
            .withZone(ZoneOffset.UTC);

    private Timestamps() {}

    public static String format(Instant instant) {
        return FORMAT.format(instant);
    }

    /** @param epochMillis milliseconds since 1970 in UTC */
    public static String format(long epochMillis) {
        return format(Instant.ofEpochMilli(epochMillis));
    }
}

package dev.statehouse.embedded;

import org.jspecify.annotations.Nullable;

/** The embedded engine cannot be had; the message says why and what to do instead, in words for an operator. */
public final class EngineUnavailable extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What an operator can always do instead. */
    static final String INSTEAD = "Or name a ClickHouse: STATE_BACKEND_URI=clickhouse://user:password@host:8123/database";

    EngineUnavailable(String message) {
        super(message);
    }

    EngineUnavailable(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

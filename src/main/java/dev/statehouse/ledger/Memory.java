package dev.statehouse.ledger;

import java.util.LinkedHashMap;
import java.util.Map;

/** Event_ids and when they were noted, in epoch milliseconds. */
final class Memory {

    /** How long an event_id is known, in milliseconds. */
    static final long KNOWN_MS = 600_000;

    private final Map<String, Long> noted = new LinkedHashMap<>();

    void note(String eventId, long time) {
        noted.put(eventId, time);
    }

    void noteAll(Map<String, Long> others) {
        noted.putAll(others);
    }

    boolean knows(String eventId, long time) {
        Long since = noted.get(eventId);
        return since != null && time - since <= KNOWN_MS;
    }

    void forget(long before) {
        noted.values().removeIf(since -> since < before);
    }

    Map<String, Long> all() {
        return noted;
    }
}

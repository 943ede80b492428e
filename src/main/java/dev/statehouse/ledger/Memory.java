package dev.statehouse.ledger;

import java.util.Map;

/** Event_ids and when they were noted, in epoch milliseconds. */
final class Memory {

    /** How long an event_id is known, in milliseconds. */
    static final long KNOWN_MS = 600_000;

    private final Recent.Draft<Long> noted;

    Memory(Map<String, Long> start) {
        noted = Recent.draft(start, Long::longValue);
    }

    void note(String eventId, long time) {
        noted.put(eventId, time);
    }

    boolean knows(String eventId, long time) {
        Long since = noted.get(eventId);
        return since != null && time - since <= KNOWN_MS;
    }

    void forget(long before) {
        noted.forget(before);
    }

    Map<String, Long> all() {
        return noted.done();
    }
}

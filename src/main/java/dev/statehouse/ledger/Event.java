package dev.statehouse.ledger;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a row of the log says. */
public enum Event {

    /** A lock asks for the lease; names its time to live. */
    REQUEST,
    /** A sign of life of one that waits. */
    WAIT,
    /** Takes back the request of the same event_id. */
    LEAVE,
    /** The first that waits takes a lease that is over. */
    CLAIM,
    /** The holder asks for more time. */
    RENEW,
    /** The holder lets go, or one that waits gives up. */
    RELEASE,
    /** An operator ends the lease with the given fencing token. */
    BREAK,
    /** Announces a write of the state. */
    WRITE,
    /** The write whose event_id stands in {@code lock} was put into the state table. */
    DONE,
    /** Holds the fold of all rows up to a block. */
    SNAPSHOT,
    /** Names the version of the rules and the strategy. */
    MARK;

    private static final Map<String, Event> BY_NAME = Arrays.stream(values())
            .collect(Collectors.toUnmodifiableMap(Event::stored, Function.identity()));

    /** The name in the table. */
    public String stored() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * @param name the name in the table
     * @throws IllegalArgumentException if there is no such event: the row was written under other rules
     */
    public static Event ofStored(String name) {
        Event event = BY_NAME.get(name);
        if (event == null) {
            throw new IllegalArgumentException("The ledger holds a row of an unknown event '" + name + "'.");
        }
        return event;
    }

    /** Whether rows of this event move log time: not those that the table forgets sooner than the others. */
    boolean movesLogTime() {
        return this != WRITE && this != DONE && this != SNAPSHOT;
    }
}

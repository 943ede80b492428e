package dev.statehouse.faults;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One call and what came of it. A state is written here as its keys in order, with commas between.
 *
 * @param kind what was asked
 * @param id of which state or lock
 * @param client by whom
 * @param start {@link System#nanoTime()} before it was sent; one clock for all processes of a machine
 * @param end the same once it was answered, or given up
 * @param result what it came to
 * @param given the keys that a write brings, or the lock_id of a call about a lock
 * @param ifIs the state that a conditional write asks for; null for none
 * @param state the state that the answer shows; "" for none, and for locks
 * @param number the version that the answer shows, or the fencing token; 0 for none
 * @param restMillis how long the lease still is, as the answer says
 */
record Call(Kind kind, String id, String client, long start, long end, Result result, String given,
        @Nullable String ifIs, String state, long number, long restMillis) {

    /** The calls. */
    enum Kind {

        READ, PUT, PATCH, ACQUIRE, RENEW, RELEASE;

        boolean isWrite() {
            return this == PUT || this == PATCH;
        }
    }

    /** What a call came to. */
    enum Result {
        /** 2xx, and for a read also 404. */
        OK,
        /** 412: the state is another. */
        MISMATCH,
        /** Any other answer by which nothing happened. */
        REFUSED,
        /** No answer, or one that says that nobody knows: it may have happened, may yet, or may never. */
        UNKNOWN
    }

    boolean is(Kind asked, Result came) {
        return kind == asked && result == came;
    }

    /** One line, from which {@link #parse} makes the same call. */
    String line() {
        return String.join("\t", kind.name(), id, client, Long.toString(start), Long.toString(end), result.name(),
                given, ifIs == null ? "-" : "=" + ifIs, state, Long.toString(number), Long.toString(restMillis));
    }

    static Call parse(String line) {
        List<String> parts = List.of(line.split("\t", -1));
        return new Call(Kind.valueOf(parts.get(0)), parts.get(1), parts.get(2), Long.parseLong(parts.get(3)),
                Long.parseLong(parts.get(4)), Result.valueOf(parts.get(5)), parts.get(6),
                parts.get(7).equals("-") ? null : parts.get(7).substring(1), parts.get(8),
                Long.parseLong(parts.get(9)), Long.parseLong(parts.get(10)));
    }

    @Override
    public String toString() {
        return "%,d..%,d us %s %s %s %s%s -> %s [%s] %d rest %d".formatted(start / 1000, end / 1000, client, kind, id,
                given, ifIs == null ? "" : " if [" + ifIs + "]", result, state, number, restMillis);
    }
}

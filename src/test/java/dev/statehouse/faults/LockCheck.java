package dev.statehouse.faults;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Whether nobody held the lock of one id while another did, counted as a careful holder counts: from the answer to its
 * acquiring to the start of its release, or for as long as it was told, counted from before it asked. Whether the fencing
 * tokens grow in the order of the grants; and whether no write of another was stored within a lease.
 */
final class LockCheck {

    private final List<Call> calls;
    private final List<Hold> holds;

    /** @param granted before it was granted, for sure */
    private record Hold(String client, String lock, long token, long granted, long from, long until) {}

    LockCheck(List<Call> ofOneId) {
        calls = ofOneId;
        holds = ofOneId.stream()
                .filter(call -> call.is(Call.Kind.ACQUIRE, Call.Result.OK))
                .map(this::hold)
                .sorted(Comparator.comparingLong(Hold::token))
                .toList();
    }

    private Hold hold(Call acquired) {
        long until = end(acquired);
        long released = Long.MAX_VALUE;
        for (Call call : calls) {
            if (call.given().equals(acquired.given()) && call.start() >= acquired.start()) {
                if (call.is(Call.Kind.RENEW, Call.Result.OK)) {
                    until = Math.max(until, end(call));
                } else if (call.kind() == Call.Kind.RELEASE) {
                    released = Math.min(released, call.start());
                }
            }
        }
        return new Hold(acquired.client(), acquired.given(), acquired.number(), acquired.start(), acquired.end(),
                Math.min(until, released));
    }

    private static long end(Call told) {
        return told.start() + told.restMillis() * 1_000_000;
    }

    void check() {
        List<String> faults = new ArrayList<>();
        for (int i = 0; i < holds.size(); i++) {
            for (int j = i + 1; j < holds.size(); j++) {
                compare(holds.get(i), holds.get(j), faults);
            }
            intruders(holds.get(i), faults);
        }
        if (!faults.isEmpty()) {
            throw new AssertionError(String.join("\n", faults));
        }
    }

    private static void compare(Hold first, Hold second, List<String> faults) {
        boolean same = first.lock().equals(second.lock());
        if (!same && Math.max(first.from(), second.from()) < Math.min(first.until(), second.until())) {
            faults.add("Two holders at once:\n" + first + "\n" + second);
        }
        if (same != (first.token() == second.token())) {
            faults.add("A fencing token is not of one lease:\n" + first + "\n" + second);
        }
        if (second.from() < first.granted()) {
            faults.add("Fencing tokens do not grow:\n" + first + "\n" + second);
        }
    }

    private void intruders(Hold hold, List<String> faults) {
        for (Call call : calls) {
            if (call.kind().isWrite() && call.result() == Call.Result.OK && !call.client().equals(hold.client())
                    && call.start() > hold.from() && call.end() < hold.until()) {
                faults.add("A write got past a lease:\n" + call + "\n" + hold);
            }
        }
    }
}

package dev.statehouse.faults;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Whether the reads and writes of one state can be put in an order in which each happens at one moment between its start
 * and its end, and answers what it answered; one whose result is unknown happens at any moment after its start, or never.
 * (Wing and Gong's search, with a memory of what was tried.) Versions must grow along.
 */
final class RegisterCheck {

    private static final int MOST_POINTS = 300_000;

    private final List<Call> calls;

    RegisterCheck(List<Call> ofOneId) {
        calls = ofOneId.stream()
                .filter(call -> call.kind() == Call.Kind.READ && call.result() == Call.Result.OK
                        || call.kind().isWrite() && call.result() != Call.Result.REFUSED)
                .sorted(Comparator.comparingLong(Call::start))
                .toList();
    }

    void check() {
        if (!isLinearizable()) {
            throw new AssertionError("No order explains what was answered:\n" + text(calls));
        }
        checkVersions();
    }

    private static String text(List<Call> some) {
        return some.stream().map(Call::toString).collect(Collectors.joining("\n"));
    }

    /** Some calls that have happened, and the state after them. */
    private record Point(BitSet happened, String state) {}

    private boolean isLinearizable() {
        BitSet known = new BitSet();
        for (int i = 0; i < calls.size(); i++) {
            known.set(i, calls.get(i).result() != Call.Result.UNKNOWN);
        }
        Set<Point> seen = new HashSet<>();
        Deque<Point> open = new ArrayDeque<>(List.of(new Point(new BitSet(), "")));
        while (!open.isEmpty()) {
            Point point = open.pop();
            BitSet missing = (BitSet) known.clone();
            missing.andNot(point.happened());
            if (missing.isEmpty()) {
                return true;
            }
            follow(point, missing, known, seen, open);
        }
        return false;
    }

    private void follow(Point point, BitSet missing, BitSet known, Set<Point> seen, Deque<Point> open) {
        long soonestEnd = missing.stream().mapToLong(i -> calls.get(i).end()).min().orElseThrow();
        for (int i = calls.size() - 1; i >= 0; i--) {
            Call call = calls.get(i);
            if (!point.happened().get(i) && call.start() <= soonestEnd) {
                String state = after(call, point.state());
                if (state != null && (known.get(i) || !state.equals(point.state()))) {
                    BitSet happened = (BitSet) point.happened().clone();
                    happened.set(i);
                    Point next = new Point(happened, state);
                    if (seen.add(next)) {
                        open.push(next);
                    }
                    if (seen.size() > MOST_POINTS) {
                        throw new AssertionError("Too many orders to try:\n" + text(calls));
                    }
                }
            }
        }
    }

    /** @return the state after this call; null if the call cannot have found that state */
    private static @Nullable String after(Call call, String state) {
        if (call.kind() == Call.Kind.READ) {
            return call.state().equals(state) ? state : null;
        }
        boolean asAsked = call.ifIs() == null || call.ifIs().equals(state);
        if (call.result() == Call.Result.MISMATCH) {
            return asAsked ? null : state;
        }
        String next = call.kind() == Call.Kind.PUT ? call.given() : union(state, call.given());
        boolean answers = call.result() == Call.Result.UNKNOWN || call.state().equals(next);
        return asAsked && answers ? next : null;
    }

    static String union(String state, String more) {
        Set<String> keys = new TreeSet<>(Arrays.asList(state.split(",")));
        keys.addAll(Arrays.asList(more.split(",")));
        keys.remove("");
        return String.join(",", keys);
    }

    /** What is answered after another answer has no older version, and one version is one state. */
    private void checkVersions() {
        List<Call> versions = calls.stream()
                .filter(call -> call.result() == Call.Result.OK && call.number() > 0)
                .toList();
        for (Call one : versions) {
            for (Call other : versions) {
                boolean written = other.kind().isWrite() && !other.equals(one);
                boolean older = one.end() < other.start()
                        && (other.number() < one.number() || written && other.number() == one.number());
                boolean unlike = one.number() == other.number() && !one.state().equals(other.state());
                if (older || unlike) {
                    throw new AssertionError("Versions do not grow:\n" + one + "\n" + other);
                }
            }
        }
    }
}

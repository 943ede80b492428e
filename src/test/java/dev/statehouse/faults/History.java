package dev.statehouse.faults;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Every call of a test. */
final class History {

    private final List<Call> calls = new ArrayList<>();

    synchronized void add(Call call) {
        calls.add(call);
    }

    synchronized void addAll(Collection<Call> more) {
        calls.addAll(more);
    }

    synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    List<Call> of(String id) {
        return calls().stream().filter(call -> call.id().equals(id)).toList();
    }

    long count(Call.Kind kind, Call.Result result) {
        return calls().stream().filter(call -> call.is(kind, result)).count();
    }

    /** Holds the states against {@link RegisterCheck} and the locks against {@link LockCheck}, id by id. */
    void check() {
        checkStates();
        byId().values().forEach(some -> new LockCheck(some).check());
    }

    /** The states alone. */
    void checkStates() {
        byId().values().forEach(some -> new RegisterCheck(some).check());
    }

    private Map<String, List<Call>> byId() {
        return calls().stream().collect(Collectors.groupingBy(Call::id, TreeMap::new, Collectors.toList()));
    }

    /** How much there was of what, in one line. */
    String summary() {
        return calls().stream()
                .collect(Collectors.groupingBy(call -> call.kind() + " " + call.result(), TreeMap::new,
                        Collectors.counting()))
                .toString();
    }
}

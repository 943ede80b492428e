package dev.statehouse.state;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.Problem;
import org.jspecify.annotations.Nullable;

/** The writes of one batch, by their numbers, and which of them are answered. */
final class OpenWrites {

    private final List<Write> writes;
    private final @Nullable Outcome[] outcomes;

    OpenWrites(List<Write> writes) {
        this.writes = List.copyOf(writes);
        this.outcomes = new @Nullable Outcome[writes.size()];
    }

    /** All of them, answered or not. */
    List<Write> all() {
        return writes;
    }

    /** Ids with a write that is not answered yet. */
    Set<StateId> ids() {
        return IntStream.range(0, writes.size())
                .filter(i -> outcomes[i] == null)
                .mapToObj(i -> writes.get(i).id())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Numbers of the writes of that id that are not answered yet. */
    List<Integer> of(StateId id) {
        return IntStream.range(0, writes.size())
                .filter(i -> outcomes[i] == null && writes.get(i).id().equals(id))
                .boxed()
                .toList();
    }

    /** Further ids that the writes of these ids touch. */
    Set<StateId> companions(Set<StateId> ids) {
        return writes.stream()
                .filter(write -> ids.contains(write.id()))
                .flatMap(write -> write.companions().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    void answer(List<Composition.Decided> decided) {
        decided.forEach(each -> outcomes[each.number()] = each.outcome());
    }

    /**
     * Of writes that are stored.
     *
     * @param waiting how many wait for the lock of their id by now; it was less when they were decided
     */
    void answer(List<Composition.Decided> decided, int waiting) {
        answer(decided);
        for (Composition.Decided each : decided) {
            if (each.outcome() instanceof Outcome.Done done && writes.get(each.number()).companions().isEmpty()) {
                outcomes[each.number()] = done.withWaiting(waiting);
            }
        }
    }

    void refuse(Collection<StateId> ids, Problem problem) {
        ids.forEach(id -> of(id).forEach(number -> outcomes[number] = new Outcome.Refused(problem, 0)));
    }

    /** Once all are answered. */
    List<Outcome> outcomes() {
        return Arrays.stream(outcomes).map(Objects::requireNonNull).toList();
    }
}

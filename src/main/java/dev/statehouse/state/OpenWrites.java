package dev.statehouse.state;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.Problem;

/** The writes of one batch, by their numbers, and which of them are answered. */
final class OpenWrites {

    private final List<OpenWrite> writes;
    private final List<Write> all;
    private final Map<StateId, List<Integer>> byId;

    OpenWrites(List<OpenWrite> writes) {
        this.writes = writes;
        this.all = writes.stream().map(OpenWrite::write).toList();
        this.byId = IntStream.range(0, writes.size()).boxed().collect(Collectors.groupingBy(i -> all.get(i).id()));
    }

    /** All of them, answered or not. */
    List<Write> all() {
        return all;
    }

    /** Ids with a write that is not answered yet. */
    Set<StateId> ids() {
        return writes.stream()
                .filter(OpenWrite::isOpen)
                .map(open -> open.write().id())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Numbers of the writes of that id that are not answered yet. */
    List<Integer> of(StateId id) {
        return byId.getOrDefault(id, List.of()).stream().filter(i -> writes.get(i).isOpen()).toList();
    }

    /** Further ids that the writes touch. */
    Set<StateId> companions() {
        return writes.stream()
                .filter(OpenWrite::isOpen)
                .flatMap(open -> open.write().companions().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    void answer(List<Composition.Decided> decided) {
        decided.forEach(each -> writes.get(each.number()).answer(each.outcome()));
    }

    /**
     * Of writes that are stored.
     *
     * @param waiting how many wait for the lock of their id by now; it was less when they were decided
     */
    void answer(List<Composition.Decided> decided, int waiting) {
        for (Composition.Decided each : decided) {
            boolean ownLockAlone = all.get(each.number()).companions().isEmpty();
            writes.get(each.number())
                    .answer(each.outcome() instanceof Outcome.Done done && ownLockAlone
                            ? done.withWaiting(waiting)
                            : each.outcome());
        }
    }

    void refuse(Collection<StateId> ids, Problem problem) {
        each(ids, open -> open.refuse(problem));
    }

    /** An announcement of the writes of that id counted. */
    void counted(StateId id) {
        each(Set.of(id), OpenWrite::hasCounted);
    }

    private void each(Collection<StateId> ids, Consumer<OpenWrite> what) {
        ids.forEach(id -> of(id).forEach(number -> what.accept(writes.get(number))));
    }
}

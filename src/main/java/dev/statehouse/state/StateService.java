package dev.statehouse.state;

import java.util.List;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.VersionMismatch;
import org.springframework.stereotype.Component;

/** What can be done with one state, and between two. */
@Component
final class StateService {

    private final StateStore store;
    private final StateWriter writer;

    StateService(StateStore store, StateWriter writer) {
        this.store = store;
        this.writer = writer;
    }

    /** What is there, a state or none. */
    StoredState read(StateId id) {
        return new StoredState(id, store.read(List.of(id)).rows().get(id));
    }

    Outcome.Done write(StateId id, Preconditions preconditions, Change change) {
        return writer.write(new Write(id, preconditions, change));
    }

    /** Both halves of one state over those of another. */
    Outcome.Done copy(StateId from, StateId to, Preconditions preconditions) {
        refuseSame(from, to);
        return copyOf(source(from, preconditions), to);
    }

    /**
     * Copies, then deletes the source if it is still what was copied, else copies again: at every moment at least one of
     * the two has the content.
     */
    Outcome.Done move(StateId from, StateId to, Preconditions preconditions) {
        refuseSame(from, to);
        StoredState source = source(from, preconditions);
        while (true) {
            Outcome.Done copy = copyOf(source, to);
            try {
                writer.write(new Write(from, Preconditions.still(source.version()), Change.CLEAR));
                return copy;
            } catch (VersionMismatch changedMeanwhile) {
                source = read(from);
                if (!source.exists()) {
                    return copy;
                }
            }
        }
    }

    /** The merged document of another state onto the partial half of this one. */
    Outcome.Done merge(StateId id, StateId from, Preconditions preconditions) {
        refuseSame(id, from);
        JsonObject document = read(from).orNotFound().halves().merged();
        return write(id, preconditions, Change.mergeIntoPartial(document));
    }

    private StoredState source(StateId id, Preconditions preconditions) {
        StoredState source = read(id);
        preconditions.check(source);
        return source.orNotFound();
    }

    private Outcome.Done copyOf(StoredState source, StateId to) {
        return write(to, Preconditions.NONE, Change.replace(source.halves(), false));
    }

    private static void refuseSame(StateId one, StateId other) {
        if (one.equals(other)) {
            throw new InvalidInput(ProblemCode.SAME_STATE, "Source and target are the same state, '" + one + "'.");
        }
    }
}

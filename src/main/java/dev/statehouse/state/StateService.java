package dev.statehouse.state;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.statehouse.id.StateId;
import dev.statehouse.json.JsonObject;
import dev.statehouse.lock.LeaseBook;
import dev.statehouse.lock.LiveLease;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.VersionMismatch;
import org.springframework.stereotype.Component;

/** What can be done with one state, and between two. */
@Component
final class StateService {

    private final StateStore store;
    private final StateWriter writer;
    private final LeaseBook book;

    StateService(StateStore store, StateWriter writer, LeaseBook book) {
        this.store = store;
        this.book = book;
        this.writer = writer;
    }

    /** What is there, a state or none. */
    StoredState read(StateId id) {
        return new StoredState(id, store.read(List.of(id)).rows().get(id));
    }

    Outcome.Done write(StateId id, Preconditions preconditions, LockTokens leases, Change change) {
        return writer.write(new Write(id, preconditions, change, leases.hashes()));
    }

    /** A write that keeps parts of what is stored. */
    Outcome.Done update(StateId id, Preconditions preconditions, LockTokens leases, Change change) {
        return writer.write(new Write(id, preconditions, change, leases.hashes()).buildingOn());
    }

    /** Both halves of one state over those of another. */
    Outcome.Done copy(StateId from, StateId to, Preconditions preconditions, LockTokens leases) {
        refuseSame(from, to);
        return copyOf(source(from, preconditions), to, leases);
    }

    /**
     * Copies, then deletes the source if it is still what was copied, else copies again: at every moment at least one of
     * the two has the content.
     */
    Outcome.Done move(StateId from, StateId to, Preconditions preconditions, LockTokens leases) {
        refuseSame(from, to);
        StoredState source = source(from, preconditions);
        refuseLocked(from, to, leases);
        while (true) {
            Outcome.Done copy = copyOf(source, to, leases);
            try {
                writer.write(new Write(from, Preconditions.still(source.version()), Change.CLEAR, leases.hashes())
                        .touching(to));
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
    Outcome.Done merge(StateId id, StateId from, Preconditions preconditions, LockTokens leases) {
        refuseSame(id, from);
        JsonObject document = read(from).orNotFound().halves().merged();
        return writer.write(new Write(id, preconditions, Change.mergeIntoPartial(document), leases.hashes())
                .touching(from)
                .buildingOn());
    }

    /** Before anything is copied: a source that may not be deleted in the end would leave two. */
    private void refuseLocked(StateId from, StateId to, LockTokens leases) {
        Map<StateId, LiveLease> live = book.live(List.of(from, to));
        LeaseRule.check(new Write(from, Preconditions.NONE, Change.CLEAR, leases.hashes()).touching(to),
                id -> Optional.ofNullable(live.get(id)));
    }

    private StoredState source(StateId id, Preconditions preconditions) {
        StoredState source = read(id);
        preconditions.check(source);
        return source.orNotFound();
    }

    private Outcome.Done copyOf(StoredState source, StateId to, LockTokens leases) {
        return writer.write(new Write(to, Preconditions.NONE, Change.replace(source.halves(), false), leases.hashes())
                .touching(source.id()));
    }

    private static void refuseSame(StateId one, StateId other) {
        if (one.equals(other)) {
            throw new InvalidInput(ProblemCode.SAME_STATE, "Source and target are the same state, '" + one + "'.");
        }
    }
}

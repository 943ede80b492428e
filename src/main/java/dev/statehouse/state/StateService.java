package dev.statehouse.state;

import java.time.Duration;
import java.util.List;

import dev.statehouse.id.StateId;
import dev.statehouse.json.JsonObject;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import dev.statehouse.problem.VersionMismatch;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What can be done with one state, and between two. */
@Component
final class StateService {

    private static final int MOST_COPIES = 20;

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
        return writer.write(copyOf(source(from, preconditions), to, leases).reading(from));
    }

    /**
     * Copies, then deletes the source if it is still what was copied, else copies again: at every moment at least one of
     * the two has the content. What stops it after the copy leaves both.
     */
    Outcome.Done move(StateId from, StateId to, Preconditions preconditions, LockTokens leases) {
        refuseSame(from, to);
        StoredState source = source(from, preconditions);
        Outcome.Done copy = writer.write(copyOf(source, to, leases).besides(from));
        try {
            for (int copies = 1; copies <= MOST_COPIES; copies++) {
                try {
                    writer.write(new Write(from, Preconditions.still(source.version()), Change.CLEAR, leases.hashes())
                            .besides(to));
                    return copy;
                } catch (VersionMismatch changedMeanwhile) {
                    source = read(from);
                    if (!source.exists()) {
                        return copy;
                    }
                    preconditions.check(source);
                    copy = writer.write(copyOf(source, to, leases).besides(from));
                }
            }
        } catch (Unavailable outage) {
            throw bothThere(from, outage);
        }
        throw bothThere(from, null);
    }

    private static Unavailable bothThere(StateId from, @Nullable Unavailable outage) {
        return new Unavailable(ProblemCode.WRITE_UNCONFIRMED, "The state was copied, but '" + from + "' could not be"
                + " deleted: " + (outage == null ? "others write it all the time." : "ClickHouse went away.")
                + " Both may be there; move it again.", Duration.ofSeconds(1), outage);
    }

    /** The merged document of another state onto the partial half of this one. */
    Outcome.Done merge(StateId id, StateId from, Preconditions preconditions, LockTokens leases) {
        refuseSame(id, from);
        JsonObject document = read(from).orNotFound().halves().merged();
        return writer.write(new Write(id, preconditions, Change.mergeIntoPartial(document), leases.hashes())
                .reading(from)
                .buildingOn());
    }

    private StoredState source(StateId id, Preconditions preconditions) {
        StoredState source = read(id);
        preconditions.check(source);
        return source.orNotFound();
    }

    private static Write copyOf(StoredState source, StateId to, LockTokens leases) {
        return new Write(to, Preconditions.NONE, Change.replace(source.halves(), false), leases.hashes());
    }

    private static void refuseSame(StateId one, StateId other) {
        if (one.equals(other)) {
            throw new InvalidInput(ProblemCode.SAME_STATE, "Source and target are the same state, '" + one + "'.");
        }
    }
}

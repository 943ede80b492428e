package dev.statehouse.state;

import dev.statehouse.json.JsonObject;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;

/** What a write makes of the state that it finds. Pure: it may be asked again with another state when a race was lost. */
@FunctionalInterface
interface Change {

    /**
     * @param current what is there
     * @return what shall be there; none for "no state"
     */
    Halves apply(StoredState current);

    /** What it holds in memory while it waits for its turn, in bytes. */
    default long bytes() {
        return 0;
    }

    private static Change of(Halves given, Change change) {
        long bytes = given.sizeBytes();
        return new Change() {

            @Override
            public Halves apply(StoredState current) {
                return change.apply(current);
            }

            @Override
            public long bytes() {
                return bytes;
            }
        };
    }

    /** No state, whatever was there. */
    Change CLEAR = current -> Halves.NONE;

    /** How a PATCH takes what it is given. */
    enum Strategy {
        /** As Meltano: a completed state replaces the record, a partial state alone is merged onto the stored one. */
        UPDATE,
        /** Each half that is given is merged onto its stored half. */
        MERGE,
        /** Each half that is given replaces its stored half. */
        OVERWRITE
    }

    static Change replace(Halves given, boolean allowEmpty) {
        return of(given, current -> replaced(current, given, allowEmpty));
    }

    private static Halves replaced(StoredState current, Halves by, boolean allowEmpty) {
        if (by.isEmpty() && !allowEmpty) {
            throw empty(current);
        }
        return by;
    }

    static Change patch(StateBody body, Strategy strategy, boolean allowEmpty) {
        Halves given = body.halves();
        if (strategy == Strategy.OVERWRITE ? !body.hasCompleted() && !body.hasPartial() : given.isEmpty()) {
            throw nothingGiven();
        }
        return of(given, switch (strategy) {
            case UPDATE -> current -> given.completed() != null
                    ? given
                    : new Halves(current.halves().completed(),
                            Halves.merge(current.halves().partial(), given.partial()));
            case MERGE -> current -> new Halves(Halves.merge(current.halves().completed(), given.completed()),
                    Halves.merge(current.halves().partial(), given.partial()));
            case OVERWRITE -> current -> {
                Halves left = new Halves(body.hasCompleted() ? given.completed() : current.halves().completed(),
                        body.hasPartial() ? given.partial() : current.halves().partial());
                return replaced(current, left, allowEmpty);
            };
        });
    }

    /** A document of another state, merged onto the partial half. */
    static Change mergeIntoPartial(JsonObject document) {
        return of(new Halves(null, document), current -> new Halves(current.halves().completed(),
                Halves.merge(current.halves().partial(), document)));
    }

    private static InvalidInput empty(StoredState current) {
        return current.exists()
                ? new InvalidInput(ProblemCode.WOULD_ERASE_STATE, "This would leave neither half of the state under"
                        + " '" + current.id() + "', which would be lost. DELETE it if that is meant, or say"
                        + " allow_empty=true.")
                : nothingGiven();
    }

    private static InvalidInput nothingGiven() {
        return new InvalidInput(ProblemCode.EMPTY_STATE, "The body holds neither half of a state: give completed_state,"
                + " partial_state or both, as JSON objects that are not empty.");
    }
}

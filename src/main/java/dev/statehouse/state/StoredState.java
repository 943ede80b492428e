package dev.statehouse.state;

import dev.statehouse.id.StateId;
import dev.statehouse.json.JsonObject;
import dev.statehouse.problem.Conflict;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.NotFound;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/** What the table holds under one id, read only as far as a call needs it: replacing a row does not need to parse it. */
final class StoredState {

    private final StateId id;
    private final @Nullable StateRow row;
    private @Nullable Halves halves;

    StoredState(StateId id, @Nullable StateRow row) {
        this.id = id;
        this.row = row;
    }

    StateId id() {
        return id;
    }

    /** The version of the newest row, of one that says "no state" too; 0 where there is no row. */
    long version() {
        return row == null ? 0 : row.version();
    }

    boolean exists() {
        return row != null && (says(row.completedState()) || says(row.partialState()));
    }

    /** An empty object, JSON's null and blank text say nothing. */
    private static boolean says(@Nullable String text) {
        String bare = text == null ? "" : text.strip();
        boolean emptyObject = bare.startsWith("{") && bare.endsWith("}")
                && bare.substring(1, bare.length() - 1).isBlank();
        return !bare.isEmpty() && !bare.equals("null") && !emptyObject;
    }

    /**
     * @throws Conflict if a half is no JSON object
     */
    Halves halves() {
        if (halves == null) {
            halves = row == null ? Halves.NONE : new Halves(parse(row.completedState()), parse(row.partialState()));
        }
        return halves;
    }

    private @Nullable JsonObject parse(@Nullable String text) {
        if (text == null || !says(text)) {
            return null;
        }
        try {
            return JsonObject.parse(text);
        } catch (InvalidInput e) {
            throw new Conflict(ProblemCode.STORED_STATE_UNREADABLE, "What another writer left under '" + id
                    + "' is no JSON object: " + e.detail() + " Repair it by PUT, or DELETE it.");
        }
    }

    StoredState orNotFound() {
        if (!exists()) {
            throw new NotFound(ProblemCode.STATE_NOT_FOUND, "There is no state under '" + id + "'.");
        }
        return this;
    }
}

package dev.statehouse.state;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.StateId;
import dev.statehouse.json.Bodies;
import dev.statehouse.json.JsonValue;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/**
 * The body of an import, as {@code meltano state export} prints it: each id with its two halves.
 *
 * @param states by id, in the order given
 */
record ImportBody(Map<StateId, Halves> states) {

    private static final int MOST_ERRORS = 100;
    private static final String COMPLETED = "completed";
    private static final String PARTIAL = "partial";

    /**
     * Checks every entry before any is taken.
     *
     * @param singer whether each half must be a Singer state
     * @param maxStateBytes the largest state
     * @param allowEmpty whether an entry with neither half may stand, and clears its id
     */
    static ImportBody parse(byte @Nullable [] body, boolean singer, boolean allowEmpty, long maxStateBytes) {
        Map<StateId, Halves> states = new LinkedHashMap<>();
        List<InvalidInput.Entry> errors = new ArrayList<>();
        Bodies.fields(body).forEach((id, entry) -> {
            try {
                states.put(Bodies.stateId("'" + id + "'", id), halves(entry, singer, allowEmpty, maxStateBytes));
            } catch (Problem problem) {
                errors.add(new InvalidInput.Entry(id, problem.detail()));
            }
        });
        if (!errors.isEmpty()) {
            throw new InvalidInput(ProblemCode.INVALID_IMPORT,
                    "%d of %d entries are no states, so nothing was imported; the first is '%s': %s".formatted(
                            errors.size(), errors.size() + states.size(), errors.getFirst().at(),
                            errors.getFirst().detail()),
                    errors.subList(0, Math.min(MOST_ERRORS, errors.size())));
        }
        return new ImportBody(states);
    }

    private static Halves halves(JsonValue entry, boolean singer, boolean allowEmpty, long maxStateBytes) {
        Map<String, JsonValue> fields = entry.asObject("The entry").fields();
        Bodies.refuseUnknown(fields, COMPLETED, PARTIAL);
        Halves halves = new Halves(StateBody.half(COMPLETED, fields.get(COMPLETED), singer),
                StateBody.half(PARTIAL, fields.get(PARTIAL), singer));
        if (halves.isEmpty() && !allowEmpty) {
            throw new InvalidInput(ProblemCode.EMPTY_STATE, "The entry holds neither half of a state;"
                    + " leave it out, or say allow_empty=true to clear the state under this id.");
        }
        Decision.checkSize(halves, maxStateBytes);
        return halves;
    }
}

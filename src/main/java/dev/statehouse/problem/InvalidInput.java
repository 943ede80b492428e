package dev.statehouse.problem;

import java.util.List;
import java.util.Map;

/** The caller sent something that cannot be taken. */
public final class InvalidInput extends Problem {

    private final List<Entry> errors;

    /**
     * One bad entry of many.
     *
     * @param at where it stands: a state id, or a field
     * @param detail what is wrong with it
     */
    public record Entry(String at, String detail) {}

    public InvalidInput(ProblemCode code, String detail) {
        this(code, detail, List.of());
    }

    public InvalidInput(ProblemCode code, String detail, List<Entry> errors) {
        super(code, detail, null);
        this.errors = List.copyOf(errors);
    }

    @Override
    public Map<String, Object> members() {
        return errors.isEmpty()
                ? Map.of()
                : Map.of("errors", errors.stream().map(e -> Map.of("at", e.at(), "detail", e.detail())).toList());
    }
}

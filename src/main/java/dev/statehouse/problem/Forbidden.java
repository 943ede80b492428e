package dev.statehouse.problem;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.StateId;

/** The caller is known, and may not do this. */
public final class Forbidden extends Problem {

    private final String role;
    private final List<StateId> ids;

    /**
     * @param role the role that is missing
     * @param ids the ids that it is missing for; empty where the caller does not have it at all
     */
    public Forbidden(String role, List<StateId> ids) {
        super(ProblemCode.FORBIDDEN, detail(role, ids), null);
        this.role = role;
        this.ids = List.copyOf(ids);
    }

    private static String detail(String role, List<StateId> ids) {
        return "This token does not have the role " + role
                + switch (ids.size()) {
                    case 0 -> ", which this call needs.";
                    case 1 -> " for '" + ids.getFirst() + "'.";
                    default -> " for %d of the ids, the first of which is '%s'.".formatted(ids.size(), ids.getFirst());
                };
    }

    @Override
    public Map<String, Object> members() {
        Map<String, Object> missing = new LinkedHashMap<>();
        missing.put("role", role);
        if (!ids.isEmpty()) {
            missing.put("state_ids", ids.stream().map(StateId::value).toList());
        }
        return Map.of("missing", missing);
    }
}

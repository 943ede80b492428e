package dev.statehouse.auth;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.Glob;

/** Reads what a caller may do, where it is written as patterns by role: in a file of tokens, or in a token itself. */
final class Grants {

    private Grants() {}

    /**
     * @param fields by the word of a role, a pattern or a list of patterns; other keys are passed over
     * @param whose for the message
     * @throws IllegalArgumentException if they are no patterns
     */
    static List<Grant> of(Map<?, ?> fields, String whose) {
        List<Grant> grants = new ArrayList<>();
        for (Role role : Role.values()) {
            Object patterns = fields.get(role.word());
            if (fields.containsKey(role.word())) {
                List<?> list = patterns instanceof List<?> many
                        ? many
                        : patterns == null ? List.of() : List.of(patterns);
                grants.add(new Grant(role, list.stream().map(each -> glob(each, role, whose)).toList()));
            }
        }
        return grants;
    }

    private static Glob glob(Object pattern, Role role, String whose) {
        if (!(pattern instanceof String text)) {
            throw new IllegalArgumentException("The " + role.word() + " of " + whose + " is not a list of patterns.");
        }
        try {
            return new Glob(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("The " + role.word() + " of " + whose + ": " + e.getMessage(), e);
        }
    }
}

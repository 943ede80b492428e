package dev.statehouse.embedded;

import java.util.List;

/**
 * One more user of an engine, beside the one that {@link EngineAddress} names.
 *
 * @param grants
 *            statements such as {@code GRANT SELECT ON meltano.*}, without {@code TO}; empty: may log in and nothing else
 */
public record EngineUser(String name, String password, List<String> grants) {

    public EngineUser {
        if (!name.matches("[a-z][a-z0-9_]*")) {
            throw new IllegalArgumentException("not a user name: " + name);
        }
        grants = List.copyOf(grants);
    }

    @Override
    public String toString() {
        return name;
    }
}

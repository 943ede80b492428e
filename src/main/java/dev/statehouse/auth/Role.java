package dev.statehouse.auth;

import java.util.Locale;

/** What a caller may do with the ids that the role is given for. Each role may do what those before it may. */
public enum Role {

    /** Reads states and locks, lists and exports. */
    READER,
    /** Writes and deletes single states, takes and gives back locks. */
    WRITER,
    /** Breaks locks, clears by pattern, imports, reads metrics. */
    OPERATOR;

    boolean covers(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** As it is written in settings, token files and answers. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

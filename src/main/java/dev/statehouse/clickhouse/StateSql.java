package dev.statehouse.clickhouse;

import java.util.Collections;

/** The statements on the state table; every value in them is a parameter. */
final class StateSql {

    /** An object without a member, JSON's null, or nothing at all: no state. */
    private static final String EMPTY = "'^[ \\\\t\\\\r\\\\n]*([{][ \\\\t\\\\r\\\\n]*[}]|null|)[ \\\\t\\\\r\\\\n]*$'";
    private static final String OBJECT = "'^[ \\\\t\\\\r\\\\n]*[{]'";

    /** What {@link dev.statehouse.id.StateId} takes: rows under other ids cannot be asked for, so they are not listed. */
    private static final String IS_ID = """
            length(state_id) BETWEEN 1 AND 1024 AND state_id NOT IN ('.', '..') AND isValidUTF8(state_id)
            AND NOT match(state_id, '\\\\p{Cc}')""";

    /** Conditions on the sorting key alone may go before FINAL, which saves reading the documents of other ids. */
    private static final String MATCHING = """
            SELECT state_id, updated_at, %s AS completed, %s AS partial
            FROM %s FINAL
            PREWHERE startsWith(state_id, ?) AND state_id > ? AND match(state_id, ?) AND %s""";

    private static final String STATES = "FROM (%s) WHERE (completed IS NOT NULL OR partial IS NOT NULL)";

    /** Small blocks, as a row may hold 32 MiB. */
    private static final String SETTINGS = "SETTINGS max_block_size = 1024";

    private final String table;
    private final String states;

    StateSql(TableName name) {
        table = name.sql();
        states = STATES.formatted(MATCHING.formatted(half("completed_state"), half("partial_state"), table, IS_ID));
    }

    /**
     * The server's time first, then the rows: a UNION ALL looks at its tables in the order of its branches. The first
     * branch has no table, so the time comes also where there is no row.
     */
    String read(int ids) {
        return """
                SELECT '' AS state_id, NULL AS partial, NULL AS completed, toUnixTimestamp64Milli(now64(3)) AS version
                UNION ALL
                SELECT state_id, %s, %s, toUnixTimestamp64Milli(updated_at)
                FROM %s FINAL
                WHERE state_id != '' AND state_id IN (%s)""".formatted(half("partial_state"), half("completed_state"),
                table, ids == 0 ? "''" : String.join(", ", Collections.nCopies(ids, "?")));
    }

    /** Parameters: prefix, id to start behind, pattern, number of rows. */
    String list() {
        return summaries() + " ORDER BY state_id LIMIT ? " + SETTINGS;
    }

    /** As {@link #list}, what ClickHouse cannot parse alone. */
    String doubtful() {
        return summaries() + " AND NOT readable ORDER BY state_id LIMIT ? " + SETTINGS;
    }

    private String summaries() {
        return """
                SELECT state_id, toUnixTimestamp64Milli(updated_at) AS version,
                    completed IS NOT NULL AS has_completed, partial IS NOT NULL AS has_partial,
                    ifNull(length(completed), 0) + ifNull(length(partial), 0) AS size,
                    ifNull(isValidJSON(completed), 1) AND ifNull(isValidJSON(partial), 1)
                        AND ifNull(match(completed, %1$s), 1) AND ifNull(match(partial, %1$s), 1) AS readable,
                    ifNull(match(completed, %1$s), 1) AND ifNull(match(partial, %1$s), 1) AS looks_like_objects
                %2$s""".formatted(OBJECT, states);
    }

    /** Parameters: prefix, id to start behind, pattern, number of rows. */
    String sizes() {
        return "SELECT state_id, ifNull(length(completed), 0) + ifNull(length(partial), 0) AS size " + states
                + " ORDER BY state_id LIMIT ? " + SETTINGS;
    }

    /** Parameters: prefix, id to start behind, pattern. */
    String count() {
        return "SELECT count() " + states + " " + SETTINGS;
    }

    /** Parameters: id, partial state, completed state, version. */
    String insert() {
        return "INSERT INTO " + table + " (state_id, partial_state, completed_state, updated_at)"
                + " SETTINGS async_insert = 0 VALUES (?, ?, ?, fromUnixTimestamp64Milli(?))";
    }

    /** One half as the service sees it; text that is not UTF-8 would reach Java changed, and is kept from it. */
    static String half(String column) {
        return "multiIf(%1$s IS NULL OR match(%1$s, %2$s), NULL, isValidUTF8(%1$s), %1$s, '(not UTF-8)')"
                .formatted(column, EMPTY);
    }
}

package dev.statehouse.clickhouse;

import java.util.Collections;

/** The statements on the state table; every value in them is a parameter. */
final class StateSql {

    /** An object without a member, JSON's null, or nothing at all: no state. */
    private static final String EMPTY = "'^[ \\\\t\\\\r\\\\n]*([{][ \\\\t\\\\r\\\\n]*[}]|null|)[ \\\\t\\\\r\\\\n]*$'";
    private static final String OBJECT = "'^[ \\\\t\\\\r\\\\n]*[{]'";

    /** What {@link dev.statehouse.id.StateId} takes: rows under other ids cannot be asked for, so they are not listed. */
    static final String IS_ID = """
            length(state_id) BETWEEN 1 AND 1024 AND state_id != '.' AND state_id != '..' AND isValidUTF8(state_id)
            AND NOT match(state_id, '\\\\p{Cc}')""";

    /**
     * Conditions on the sorting key alone may go before FINAL: then it reads the documents of no other id, and no row
     * that FINAL would have replaced comes back.
     */
    private static final String MATCHING = "FINAL PREWHERE startsWith(state_id, ?) AND state_id > ? AND match(state_id, ?)"
            + " AND match(state_id, ?) AND " + IS_ID;

    /** Small blocks: a row may hold 32 MiB, and ClickHouse keeps several blocks of each thread in memory. */
    private static final String LARGE_ROWS = "SETTINGS max_block_size = 8, max_threads = 2";

    /**
     * For a few rows: small blocks stop early at a limit, one thread is quicker, and planning takes longer than reading,
     * least so with the plain analyzer and without a pipeline for the output. It took 3.5 ms before and takes 2 ms.
     */
    static final String QUICK_SETTINGS = "max_threads = 1, max_block_size = 1024, allow_experimental_analyzer = 0,"
            + " output_format_parallel_formatting = 0, local_filesystem_read_method = 'pread', optimize_use_projections = 0, optimize_move_to_prewhere = 0,"
            + " compile_expressions = 0, compile_aggregate_expressions = 0";

    static final String QUICK = " SETTINGS " + QUICK_SETTINGS;

    private static final String SIZE = "ifNull(length(completed), 0) + ifNull(length(partial), 0)";

    private final String table;
    private final String halves;

    StateSql(TableName name) {
        table = name.sql();
        halves = half("partial_state") + " AS partial, " + half("completed_state") + " AS completed";
    }

    /**
     * The server's time first, then the rows: a UNION ALL looks at its tables in the order of its branches. The first
     * branch has no table, so the time comes also where there is no row.
     */
    String read(int ids) {
        return """
                SELECT '' AS state_id, NULL AS partial, NULL AS completed, toUnixTimestamp64Milli(now64(3)) AS version
                UNION ALL
                SELECT state_id, %s, toUnixTimestamp64Milli(updated_at) FROM %s FINAL
                WHERE state_id != '' AND state_id IN (%s)""".formatted(halves, table, parameters(ids)) + QUICK;
    }

    /**
     * The ids that match, in order, also those of empty rows: reads no document. As {@link #MATCHING}, and a limit. One thread
     * with small blocks reads in order and stops at the limit; several read all that is behind the first id.
     */
    String candidates() {
        return "SELECT state_id FROM " + table + " " + MATCHING
                + " ORDER BY state_id LIMIT ? SETTINGS max_threads = 1, max_block_size = 1024";
    }

    /** Of these ids those that are states, in order. */
    String summaries(int ids) {
        String objects = "ifNull(match(completed, " + OBJECT + "), 1) AND ifNull(match(partial, " + OBJECT + "), 1)";
        return """
                SELECT state_id, toUnixTimestamp64Milli(updated_at) AS version,
                    completed IS NOT NULL AS has_completed, partial IS NOT NULL AS has_partial, %s AS size,
                    %s AS objects, objects AND ifNull(isValidJSON(completed), 1) AND ifNull(isValidJSON(partial), 1)
                %s""".formatted(SIZE, objects, states(ids));
    }

    /** Of these ids those that are states, in order, with their sizes. */
    String sizes(int ids) {
        return "SELECT state_id, " + SIZE + " AS size " + states(ids);
    }

    private String states(int ids) {
        return """
                FROM (SELECT state_id, updated_at, %s FROM %s FINAL PREWHERE state_id IN (%s))
                WHERE completed IS NOT NULL OR partial IS NOT NULL
                ORDER BY state_id %s""".formatted(halves, table, parameters(ids), LARGE_ROWS);
    }

    /** As {@link #MATCHING}. */
    String count() {
        return "SELECT count() FROM (SELECT " + halves + " FROM " + table + " " + MATCHING
                + ") WHERE completed IS NOT NULL OR partial IS NOT NULL " + LARGE_ROWS;
    }

    /**
     * Parameters: id, partial state, completed state, version.
     *
     * @param settings more of them
     */
    String insert(String settings) {
        return insertInto(table) + ", max_threads = 1" + settings + " VALUES (?, ?, ?, fromUnixTimestamp64Milli(?))";
    }

    /** Up to its settings, to which more may be added. */
    static String insertInto(String table) {
        return "INSERT INTO " + table
                + " (state_id, partial_state, completed_state, updated_at) SETTINGS async_insert = 0";
    }

    private static String parameters(int count) {
        return count == 0 ? "''" : String.join(", ", Collections.nCopies(count, "?"));
    }

    /** One half as the service sees it; text that is not UTF-8 would reach Java changed, and is kept from it. */
    static String half(String column) {
        return "multiIf(%1$s IS NULL OR match(%1$s, %2$s), NULL, isValidUTF8(%1$s), %1$s, '(not UTF-8)')"
                .formatted(column, EMPTY);
    }
}

package dev.statehouse.clickhouse;

import java.util.Collections;

/** The statements on the ledger; every value in them is a parameter. */
final class LedgerSql {

    /** The columns of a row of the log, in the order in which {@link LedgerRows} reads them. */
    private static final String LOG_COLUMNS = """
            state_id, _block_number AS block, _block_offset AS offset, event, event_id, lock, owner, ttl_ms,
            fencing_token, base, version, read_at, upto, fold, toUnixTimestamp64Milli(at) AS inserted""";

    private static final String TIME = """
            '' AS state_id, 0::UInt64 AS block, 0::UInt64 AS offset, '' AS event, '' AS event_id, '' AS lock,
            '' AS owner, 0::Int64 AS ttl_ms, 0::Int64 AS fencing_token, 0::Int64 AS base, 0::Int64 AS version,
            0::Int64 AS read_at, 0::UInt64 AS upto, '' AS fold, toUnixTimestamp64Milli(now64(3)) AS inserted""";

    private static final String ROW = """
            state_id, 0::UInt64 AS block, 0::UInt64 AS offset, 'row' AS event, '' AS event_id, '' AS lock,
            '' AS owner, 0::Int64 AS ttl_ms, 0::Int64 AS fencing_token, 0::Int64 AS base,
            toUnixTimestamp64Milli(updated_at) AS version, 0::Int64 AS read_at, 0::UInt64 AS upto, '' AS fold,
            0::Int64 AS inserted""";

    private final String ledger;
    private final String state;

    LedgerSql(TableName name) {
        this.ledger = name.ledger().sql();
        this.state = name.sql();
    }

    /**
     * The server's time, then the rows of the log that are above the newest snapshot, and that snapshot. Parameters: the
     * ids, twice.
     */
    String look(int ids) {
        return "SELECT " + TIME + "\nUNION ALL\n" + log(ids, "");
    }

    /**
     * As {@link #look}, and then the rows of the state table: a UNION ALL looks at its tables in the order of its
     * branches. Parameters: the ids, three times.
     */
    String lookAndRead(int ids) {
        String none = ", NULL AS partial, NULL AS completed";
        return "SELECT " + TIME + none + "\nUNION ALL\n" + log(ids, none)
                + "\nUNION ALL\nSELECT " + ROW + ", " + StateSql.half("partial_state") + " AS partial, "
                + StateSql.half("completed_state") + " AS completed FROM " + state + " FINAL WHERE state_id IN ("
                + places(ids) + ")";
    }

    /** Asked first and by itself, so a snapshot that comes meanwhile is not missed: it only travels along. */
    private String newest(int ids) {
        return "(SELECT mapFromArrays(groupArray(id), groupArray(newest)) FROM (SELECT state_id AS id, max(upto) AS newest"
                + " FROM " + ledger + " WHERE upto > 0 AND upto < _block_number AND state_id IN (" + places(ids)
                + ") GROUP BY state_id)) AS newest_snapshot";
    }

    private String log(int ids, String more) {
        return "WITH " + newest(ids) + " SELECT " + LOG_COLUMNS + more + " FROM " + ledger + " WHERE state_id IN ("
                + places(ids)
                + ") AND (_block_number > newest_snapshot[state_id]"
                + " OR upto > 0 AND upto = newest_snapshot[state_id])";
    }

    private static String places(int ids) {
        return String.join(", ", Collections.nCopies(ids, "?"));
    }

    /** Parameters: the columns in their order. A row that is in flight for a minute is to land no more. */
    String append() {
        return "INSERT INTO " + ledger
                + " (state_id, event, event_id, lock, owner, ttl_ms, fencing_token, base, version,"
                + " partial_state, completed_state, read_at, upto, fold)"
                + " SETTINGS async_insert = 0, max_execution_time = 60"
                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    }

    /** Parameter: an id. */
    String storedVersion() {
        return "SELECT toUnixTimestamp64Milli(max(updated_at)) FROM " + state + " WHERE state_id = ?";
    }

    /** Parameters: id, event_id of a write. */
    String settle() {
        return "INSERT INTO " + state + " (state_id, partial_state, completed_state, updated_at)"
                + " SETTINGS async_insert = 0"
                + " SELECT state_id, partial_state, completed_state, fromUnixTimestamp64Milli(version) FROM " + ledger
                + " WHERE state_id = ? AND event = 'write' AND event_id = ? LIMIT 1";
    }

    /**
     * A lease that is live has a request or renew whose time to live is not over, or was granted to a waiter moments
     * ago; ten minutes are left for a clock that was set back. Parameters: prefix, id to start behind, pattern, number.
     */
    String lockCandidates() {
        return "SELECT DISTINCT state_id FROM " + ledger
                + " WHERE startsWith(state_id, ?) AND state_id > ? AND match(state_id, ?)"
                + " AND (event IN ('request', 'renew') AND at + toIntervalMillisecond(ttl_ms) > now64(3) - INTERVAL 10 MINUTE"
                + " OR event IN ('request', 'wait', 'leave', 'claim', 'renew', 'release', 'break')"
                + " AND at > now64(3) - INTERVAL 10 MINUTE)"
                + " ORDER BY state_id LIMIT ?";
    }
}

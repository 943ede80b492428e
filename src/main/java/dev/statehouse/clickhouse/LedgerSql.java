package dev.statehouse.clickhouse;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The statements on the ledger; every value in them is a parameter. */
final class LedgerSql {

    /**
     * The columns of a row of the log, in the order in which {@link LedgerRows} reads them. The numbers go as one text: each
     * column costs, three times over in a UNION ALL.
     */
    private static final String LOG_COLUMNS = "state_id, event, event_id, lock, owner, toString([toInt64(_block_number),"
            + " toInt64(_block_offset), ttl_ms, fencing_token, base, version, read_at, toInt64(upto),"
            + " toUnixTimestamp64Milli(at)%s]) AS numbers";

    private static final String FOLD = ", fold";
    /** In a UNION ALL, where the other branches have documents. */
    private static final String FOLD_AND_NOTHING = ", fold::Nullable(String) AS first, NULL AS second";
    private static final String NOTHING = ", NULL::Nullable(String) AS first, NULL AS second";

    private static final String NOW = "toUnixTimestamp64Milli(now64(3))";

    private static final String TIME = "'' AS state_id, '' AS event, '' AS event_id, '' AS lock, '' AS owner, toString(["
            + NOW + "]) AS numbers, NULL::Nullable(String) AS first, NULL AS second";

    private static final String ROW = "state_id, 'row' AS event, '' AS event_id, '' AS lock, '' AS owner,"
            + " toString([toUnixTimestamp64Milli(updated_at)]) AS numbers";

    /**
     * A part is named after the blocks that it holds, as in {@code all_1_397_44}, so that parts which hold nothing new are
     * not opened. One that is named in another way is. Parameter: a block; asked for is what came after it.
     */
    private static final String NEW_PARTS = "toUInt64OrZero(splitByChar('_', _part)[3]) NOT BETWEEN 1 AND ?";

    private static final String IN_TIME = "greatest(max(at), now64(3)) <= fromUnixTimestamp64Milli(?)";

    private final String ledger;
    private final String state;

    LedgerSql(TableName name) {
        this.ledger = name.ledger().sql();
        this.state = name.sql();
    }

    /**
     * Rows of the log, each with the server's time behind it. Parameters: as {@link #log}.
     *
     * @param known how many are asked for what came since a block
     * @param ids how many are asked for all that there is of them
     * @param large how many are asked for what is above a snapshot
     * @param limit how many rows at the most: as many say that there may be more
     */
    String look(int known, int ids, int large, int limit) {
        return log(known, ids, large, limit, ", " + NOW, allKnown(ids, large) ? "" : FOLD) + StateSql.QUICK;
    }

    /**
     * The server's time, then the rows of the log, then the rows of the state table: a UNION ALL looks at its tables in the
     * order of its branches. Parameters: as {@link #log}, then all ids.
     */
    String lookAndRead(int known, int ids, int large, int limit) {
        return "SELECT " + TIME + " UNION ALL "
                + log(known, ids, large, limit, "", allKnown(ids, large) ? NOTHING : FOLD_AND_NOTHING) + " UNION ALL "
                + rows(known + ids + large) + StateSql.QUICK;
    }

    private String rows(int ids) {
        return "SELECT " + ROW + ", " + utf8("partial_state") + " AS first, " + utf8("completed_state")
                + " AS second FROM " + state + " FINAL WHERE state_id IN (" + places(ids) + ")";
    }

    private static boolean allKnown(int ids, int large) {
        return ids + large == 0;
    }

    /**
     * Parameters: where all are known, the block before the lowest of theirs; the known ids, again if they are several, the
     * block of each of them; the ids; each large id and twice the {@code upto} of a snapshot of it. Where all are known,
     * snapshots come without their text.
     */
    private String log(int known, int ids, int large, int limit, String moreNumbers, String moreColumns) {
        List<String> which = new ArrayList<>();
        if (known > 0) {
            which.add("state_id IN (" + places(known) + ") AND _block_number >= " + (known == 1
                    ? "?"
                    : "transform(state_id, [" + places(known) + "], [" + places(known) + "], 0)"));
        }
        if (ids > 0) {
            which.add("state_id IN (" + places(ids) + ")");
        }
        which.addAll(Collections.nCopies(large, "state_id = ? AND (_block_number > ? OR upto > 0 AND upto >= ?)"));
        return "SELECT " + LOG_COLUMNS.formatted(moreNumbers) + moreColumns + " FROM " + ledger + " WHERE "
                + (allKnown(ids, large) && known > 0 ? NEW_PARTS + " AND " : "")
                + (which.isEmpty() ? "0" : "(" + String.join(" OR ", which) + ")") + " LIMIT " + limit;
    }

    /**
     * What a snapshot of an id stands for. Any will do, for the rows above it travel too; the one that was inserted last is
     * found quickest. Asked for by itself: a subquery may see a newer log than the SELECT that it is in, so that the snapshot
     * would be missing there. Parameter: the id.
     */
    String snapshot() {
        return "SELECT upto FROM " + ledger + " WHERE state_id = ? AND upto > 0 AND upto < _block_number"
                + " ORDER BY state_id DESC, at DESC LIMIT 1" + StateSql.QUICK;
    }

    private static String places(int ids) {
        return String.join(", ", Collections.nCopies(ids, "?"));
    }

    /** Text that is not UTF-8 would reach Java changed, and is kept from it. */
    private static String utf8(String column) {
        return "if(isValidUTF8(ifNull(" + column + ", '')), " + column + ", '(not UTF-8)')";
    }

    /**
     * Parameters: the columns in their order. A row that is in flight for a minute is to land no more.
     *
     * @param settings more of them
     */
    String append(String settings) {
        return "INSERT INTO " + ledger
                + " (state_id, event, event_id, lock, owner, ttl_ms, fencing_token, base, version,"
                + " partial_state, completed_state, read_at, upto, fold)"
                + " SETTINGS async_insert = 0, max_threads = 1, max_execution_time = 60" + settings
                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    }

    /** Parameters: the ids. */
    String storedVersions(int ids) {
        return "SELECT state_id, toUnixTimestamp64Milli(max(updated_at)) FROM " + state + " WHERE state_id IN ("
                + places(ids) + ") GROUP BY state_id" + StateSql.QUICK;
    }

    /** Parameters: id, event_id of a write. */
    String settle() {
        return StateSql.insertInto(state)
                + " SELECT state_id, partial_state, completed_state, fromUnixTimestamp64Milli(version) FROM " + ledger
                + " WHERE state_id = ? AND event = 'write' AND event_id = ? LIMIT 1";
    }

    /**
     * Puts what a write announced into the state table, from the log, if that has these rows of its id from a block on, and no
     * other, and it is not too late. Parameters: id; event_id of the write, twice; its version; the block before that block, id,
     * that block; the event_ids in byte order; until when: no row may be later, nor the statement itself, since what came
     * between would be forgotten some time.
     *
     * @param settings more of them
     */
    String settleIf(int events, String settings) {
        return storeByTheLog(settings)
                + " SELECT ?, anyIf(partial_state, event_id = ?), anyIf(completed_state, event_id = ?),"
                + " fromUnixTimestamp64Milli(?) FROM " + ledger + " WHERE " + NEW_PARTS
                + " AND state_id = ? AND _block_number >= ? HAVING arraySort(groupArray(event_id)) = [" + places(events)
                + "] AND " + IN_TIME;
    }

    /**
     * As {@link #settleIf}, if the parts that hold anything after a block hold this many rows, of whatever ids. Each other
     * condition would cost a tenth of a millisecond. Parameters: id; version of the only write among them; that block; how
     * many; until when.
     *
     * @param settings more of them
     */
    String settleIfQuiet(String settings) {
        return storeByTheLog(settings) + " SELECT ?, any(partial_state), any(completed_state),"
                + " fromUnixTimestamp64Milli(?) FROM " + ledger + " WHERE " + NEW_PARTS + " HAVING count() = ? AND "
                + IN_TIME;
    }

    private String storeByTheLog(String settings) {
        return StateSql.insertInto(state) + ", max_execution_time = 60, " + StateSql.QUICK_SETTINGS + settings;
    }

    /**
     * A lease that is live has a request or renew whose time to live is not over, or was granted to a waiter moments
     * ago; ten minutes are left for a clock that was set back. Parameters: prefix, id to start behind, pattern, number.
     */
    String lockCandidates() {
        return "SELECT DISTINCT state_id FROM " + ledger
                + " WHERE startsWith(state_id, ?) AND state_id > ? AND match(state_id, ?) AND match(state_id, ?)"
                + " AND (event IN ('request', 'renew') AND at + toIntervalMillisecond(ttl_ms) > now64(3) - INTERVAL 10 MINUTE"
                + " OR event IN ('request', 'wait', 'leave', 'claim', 'renew', 'release', 'break')"
                + " AND at > now64(3) - INTERVAL 10 MINUTE)"
                + " ORDER BY state_id LIMIT ?";
    }
}

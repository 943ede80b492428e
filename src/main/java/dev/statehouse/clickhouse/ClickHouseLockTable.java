package dev.statehouse.clickhouse;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.lock.LockTable;
import org.jspecify.annotations.Nullable;

/** The add-on's lock table over JDBC. Read without FINAL, as the add-on does: a merge must not decide who is there. */
final class ClickHouseLockTable implements LockTable {

    private final ClickHouse clickHouse;
    private final String table;

    ClickHouseLockTable(ClickHouse clickHouse, TableName state) {
        this.clickHouse = clickHouse;
        this.table = state.lock().sql();
    }

    /** The server's time travels in a row without an id; of several stamps of one row the newest counts. */
    @Override
    public Candidates of(Collection<StateId> ids) {
        String places = ids.isEmpty() ? "''" : String.join(", ", Collections.nCopies(ids.size(), "?"));
        String sql = "SELECT '' AS state_id, '' AS lock_id, toUnixTimestamp64Milli(now64(3)) AS locked"
                + " UNION ALL SELECT state_id, lock_id, toUnixTimestamp64Milli(toDateTime64(max(locked_at), 3)) FROM "
                + table
                + " WHERE state_id IN (" + places + ") AND state_id != '' GROUP BY state_id, lock_id";
        return clickHouse.ask(Step.READ_LOCKS, jdbc -> {
            List<Candidate> found = new ArrayList<>();
            long[] serverTime = new long[1];
            jdbc.query("SELECT state_id, lock_id, locked FROM (" + sql + ") ORDER BY state_id, lock_id", row -> {
                if (row.getString(1).isEmpty()) {
                    serverTime[0] = row.getLong(3);
                } else {
                    found.add(new Candidate(new StateId(row.getString(1)), row.getString(2), row.getLong(3)));
                }
            }, ids.stream().map(StateId::value).toArray());
            return new Candidates(serverTime[0], found);
        });
    }

    @Override
    public List<StateId> ids(Glob pattern, @Nullable StateId after, int limit) {
        return clickHouse.ask(Step.LIST_LOCKS,
                jdbc -> jdbc.query(
                        "SELECT DISTINCT state_id FROM " + table + " WHERE startsWith(state_id, ?) AND state_id > ?"
                                + " AND match(state_id, ?) AND match(state_id, ?) AND " + StateSql.IS_ID
                                + " ORDER BY state_id LIMIT ?",
                        (row, n) -> new StateId(row.getString(1)), pattern.literalPrefix(),
                        after == null ? "" : after.value(), pattern.re2(), pattern.limitsRe2(), limit));
    }

    @Override
    public void put(StateId id, String lockId) {
        clickHouse.ask(Step.ADD_LOCK, jdbc -> jdbc.update(
                "INSERT INTO " + table + " (state_id, lock_id) SETTINGS async_insert = 0 VALUES (?, ?)", id.value(),
                lockId));
    }

    @Override
    public void remove(StateId id, String lockId) {
        clickHouse.ask(Step.REMOVE_LOCK, jdbc -> jdbc.update(
                "DELETE FROM " + table + " WHERE state_id = ? AND lock_id = ?", id.value(), lockId));
    }
}

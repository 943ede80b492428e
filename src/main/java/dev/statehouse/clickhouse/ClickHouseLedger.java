package dev.statehouse.clickhouse;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Time;
import dev.statehouse.state.StateLog;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.BatchPreparedStatementSetter;

/** The log over JDBC. */
final class ClickHouseLedger implements Ledger, StateLog {

    /** How many rows are looked at without asking for snapshots: so many in any case, and so many more for each id. */
    private static final int LIMIT = 500;
    private static final int LIMIT_BY_ID = 50;
    private static final int LARGE = 250;

    private final ClickHouse clickHouse;
    private final LedgerSql sql;
    private final Time time;
    private final LargeLogs large;

    ClickHouseLedger(ClickHouse clickHouse, TableName table, Time time) {
        this.clickHouse = clickHouse;
        this.sql = new LedgerSql(table);
        this.time = time;
        this.large = new LargeLogs(time);
    }

    @Override
    public Look look(Collection<StateId> ids) {
        long sentAt = time.nanos();
        return query("Looking at the ledger", ids, false).look(sentAt);
    }

    @Override
    public Reading read(Collection<StateId> ids) {
        long sentAt = time.nanos();
        LedgerRows rows = query("Reading states and the ledger", ids, true);
        return new Reading(rows.look(sentAt), rows.states());
    }

    /** Asks again where there may have been more rows than the limit: half a log must not be folded. */
    private LedgerRows query(String what, Collection<StateId> ids, boolean withStates) {
        int limit = LIMIT + LIMIT_BY_ID * ids.size();
        while (true) {
            LedgerRows rows = query(what, ids, large.among(ids), withStates, limit);
            if (rows.logSize() < limit) {
                return rows;
            }
            Set<StateId> grown = rows.idsWithMoreThan(LARGE);
            grown.removeAll(large.among(ids));
            large.add(grown);
            limit = grown.isEmpty() ? limit * 8 : limit;
        }
    }

    private LedgerRows query(String what, Collection<StateId> ids, Set<StateId> above, boolean withStates,
            int limit) {
        List<String> small = ids.stream().filter(id -> !above.contains(id)).map(StateId::value).toList();
        List<String> parameters = new ArrayList<>(small);
        above.forEach(id -> parameters.addAll(Collections.nCopies(3, id.value())));
        if (withStates) {
            ids.forEach(id -> parameters.add(id.value()));
        }
        String statement = withStates
                ? sql.lookAndRead(small.size(), above.size(), limit)
                : sql.look(small.size(), above.size(), limit);
        return clickHouse.ask(what, jdbc -> {
            LedgerRows rows = new LedgerRows(withStates);
            jdbc.query(statement, rows, parameters.toArray());
            return rows;
        });
    }

    @Override
    public void append(List<Entry> entries) {
        clickHouse.ask("Appending to the ledger", jdbc -> jdbc.batchUpdate(sql.append(), batch(entries)));
    }

    private static BatchPreparedStatementSetter batch(List<Entry> entries) {
        return new BatchPreparedStatementSetter() {

            @Override
            public void setValues(PreparedStatement statement, int i) throws SQLException {
                Entry entry = entries.get(i);
                statement.setString(1, entry.stateId().value());
                statement.setString(2, entry.event().stored());
                statement.setString(3, entry.eventId());
                statement.setString(4, entry.lock());
                statement.setString(5, entry.owner());
                statement.setLong(6, entry.ttlMs());
                statement.setLong(7, entry.fencingToken());
                statement.setLong(8, entry.base());
                statement.setLong(9, entry.version());
                statement.setString(10, entry.partialState());
                statement.setString(11, entry.completedState());
                statement.setLong(12, entry.readAt());
                statement.setLong(13, entry.upto());
                statement.setString(14, entry.fold() == null ? "" : entry.fold());
            }

            @Override
            public int getBatchSize() {
                return entries.size();
            }
        };
    }

    @Override
    public long storedVersion(StateId id) {
        return clickHouse.ask("Reading a version", jdbc -> {
            Long version = jdbc.queryForObject(sql.storedVersion(), Long.class, id.value());
            return version == null ? 0L : version;
        });
    }

    @Override
    public void settle(StateId id, String writeId) {
        clickHouse.ask("Helping a write", jdbc -> jdbc.update(sql.settle(), id.value(), writeId));
    }

    @Override
    public List<StateId> lockCandidates(Glob pattern, @Nullable StateId after, int limit) {
        return clickHouse.ask("Listing locks",
                jdbc -> jdbc.query(sql.lockCandidates(), (row, n) -> new StateId(row.getString(1)),
                        pattern.literalPrefix(), after == null ? "" : after.value(), pattern.re2(), limit));
    }
}

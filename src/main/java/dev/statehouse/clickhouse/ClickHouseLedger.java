package dev.statehouse.clickhouse;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

    private final ClickHouse clickHouse;
    private final LedgerSql sql;
    private final LogReader reader;

    ClickHouseLedger(ClickHouse clickHouse, TableName table, Time time) {
        this.clickHouse = clickHouse;
        this.sql = new LedgerSql(table);
        this.reader = new LogReader(clickHouse, sql, time);
    }

    @Override
    public Look look(Collection<StateId> ids) {
        return reader.read(ids, LogReader.What.LOG).look();
    }

    @Override
    public Look lookBack(StateId id, long since) {
        return reader.lookBack(id, since);
    }

    @Override
    public Reading read(Collection<StateId> ids) {
        return reader.read(ids, LogReader.What.LOG_AND_ROWS);
    }

    @Override
    public void append(List<Entry> entries) {
        String append = sql.append(clickHouse.insertSettings(entries.size()));
        clickHouse.ask(Step.APPEND, jdbc -> jdbc.batchUpdate(append, batch(entries)));
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
    public Map<StateId, Long> storedVersions(Collection<StateId> ids) {
        return clickHouse.ask(Step.VERSIONS, jdbc -> {
            Map<StateId, Long> versions = new HashMap<>();
            jdbc.query(sql.storedVersions(ids.size()), row -> {
                versions.put(new StateId(row.getString(1)), row.getLong(2));
            }, ids.stream().map(StateId::value).toArray());
            return versions;
        });
    }

    @Override
    public void settle(StateId id, String writeId) {
        clickHouse.ask(Step.HELP, jdbc -> jdbc.update(sql.settle(), id.value(), writeId));
    }

    @Override
    public List<StateId> lockCandidates(Glob pattern, @Nullable StateId after, int limit) {
        return clickHouse.ask(Step.LIST_LOCKS,
                jdbc -> jdbc.query(sql.lockCandidates(), (row, n) -> new StateId(row.getString(1)),
                        pattern.literalPrefix(), after == null ? "" : after.value(), pattern.re2(),
                        pattern.limitsRe2(), limit));
    }
}

package dev.statehouse.clickhouse;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.statehouse.batch.BatchMeters;
import dev.statehouse.batch.BatchLimits;
import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Tail;
import dev.statehouse.state.StateRow;
import dev.statehouse.state.StateStore;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.BatchPreparedStatementSetter;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The state table. A half that is an empty object, JSON's null or empty text is read as null; rows under what is no
 * state id are passed over.
 */
final class ClickHouseStateStore implements StateStore {

    private static final int LOOKED_THROUGH = 1000;

    private final ClickHouse clickHouse;
    private final StateSql sql;
    private final LedgerSql ledger;
    private final StateListing listing;
    private final GatheredReads reads;

    ClickHouseStateStore(ClickHouse clickHouse, TableName table, BatchLimits reads, BatchMeters meters) {
        this.clickHouse = clickHouse;
        this.sql = new StateSql(table);
        this.ledger = new LedgerSql(table);
        this.listing = new StateListing(sql);
        this.reads = new GatheredReads(this::select, reads, meters);
    }

    /** Those of one state that come together are one SELECT. */
    @Override
    public Snapshot read(Collection<StateId> ids) {
        return ids.size() == 1 ? reads.read(ids.iterator().next()) : select(ids);
    }

    private Snapshot select(Collection<StateId> ids) {
        return clickHouse.ask(Step.READ, jdbc -> read(jdbc, new LinkedHashSet<>(ids)));
    }

    private Snapshot read(JdbcTemplate jdbc, Set<StateId> ids) {
        Map<StateId, StateRow> rows = new HashMap<>();
        long[] serverTime = new long[1];
        jdbc.query(sql.read(ids.size()), row -> {
            if (row.getString(1).isEmpty()) {
                serverTime[0] = row.getLong(4);
            } else {
                StateRow state = row(row);
                rows.put(state.id(), state);
            }
        }, ids.stream().map(StateId::value).toArray());
        Map<StateId, StateRow> inOrder = new LinkedHashMap<>();
        for (StateId id : ids) {
            StateRow row = rows.get(id);
            if (row != null) {
                inOrder.put(id, row);
            }
        }
        return new Snapshot(serverTime[0], inOrder);
    }

    private static StateRow row(ResultSet row) throws SQLException {
        return new StateRow(new StateId(row.getString(1)), row.getString(2), row.getString(3), row.getLong(4));
    }

    @Override
    public List<Summary> list(Glob pattern, @Nullable StateId after, int limit) {
        return clickHouse.ask(Step.LIST, jdbc -> listing.summaries(jdbc, pattern, after, limit)
                .stream()
                .map(listed -> listed.doubtful() ? judged(jdbc, listed.summary()) : listed.summary())
                .toList());
    }

    /**
     * ClickHouse's JSON parser refuses what is JSON all the same: numbers beyond a double or 64 bits, half a surrogate
     * pair as an escape, deep nesting. So what it refuses is looked at once more.
     */
    private Summary judged(JdbcTemplate jdbc, Summary s) {
        StateRow row = read(jdbc, Set.of(s.id())).rows().get(s.id());
        boolean readable = row == null
                || (JsonText.isJson(row.partialState()) && JsonText.isJson(row.completedState()));
        return new Summary(s.id(), s.version(), s.hasCompleted(), s.hasPartial(), s.sizeBytes(), readable);
    }

    @Override
    public List<StateId> unreadable(Glob pattern, int limit) {
        List<StateId> found = new ArrayList<>();
        List<Summary> block = list(pattern, null, LOOKED_THROUGH);
        while (!block.isEmpty() && found.size() < limit) {
            block.stream().filter(summary -> !summary.readable()).map(Summary::id).forEach(found::add);
            block = list(pattern, block.getLast().id(), LOOKED_THROUGH);
        }
        return found.stream().limit(limit).toList();
    }

    @Override
    public List<StateRow> page(Glob pattern, @Nullable StateId after, int limit, long maxBytes) {
        return clickHouse.ask(Step.PAGE, jdbc -> {
            StateId from = after;
            while (true) {
                Set<StateId> ids = StateListing.fitting(listing.sizes(jdbc, pattern, from, limit), maxBytes);
                List<StateRow> page = read(jdbc, ids).rows()
                        .values()
                        .stream()
                        .filter(row -> row.partialState() != null || row.completedState() != null)
                        .toList();
                // An empty page means the end, so where all were deleted in between, the next ones are looked at.
                if (ids.isEmpty() || !page.isEmpty()) {
                    return page;
                }
                from = List.copyOf(ids).getLast();
            }
        });
    }

    @Override
    public long count(Glob pattern) {
        return clickHouse.ask(Step.COUNT, jdbc -> {
            Long count = jdbc.queryForObject(sql.count(), Long.class, pattern.literalPrefix(), "",
                    pattern.re2(), pattern.limitsRe2());
            return count == null ? 0L : count;
        });
    }

    @Override
    public void write(List<StateRow> rows) {
        if (rows.isEmpty()) {
            return;
        }
        rows.forEach(ClickHouseStateStore::checkText);
        clickHouse.ask(Step.STORE, jdbc -> jdbc.batchUpdate(insert(rows), new BatchPreparedStatementSetter() {

            @Override
            public void setValues(PreparedStatement statement, int i) throws SQLException {
                StateRow row = rows.get(i);
                statement.setString(1, row.id().value());
                statement.setString(2, row.partialState());
                statement.setString(3, row.completedState());
                statement.setLong(4, row.version());
            }

            @Override
            public int getBatchSize() {
                return rows.size();
            }
        }));
    }

    @Override
    public boolean settleIf(StateId id, String writeId, long version, Tail tail, long until) {
        List<Object> parameters = new ArrayList<>(
                List.of(id.value(), writeId, writeId, version, tail.block() - 1, id.value(), tail.block()));
        parameters.addAll(tail.events().stream().sorted().toList());
        parameters.add(until);
        return storeIf(ledger.settleIf(tail.events().size(), clickHouse.insertSettings(1)), parameters.toArray());
    }

    @Override
    public boolean settleIfQuiet(StateId id, long version, Tail tail, long until) {
        return storeIf(ledger.settleIfQuiet(clickHouse.insertSettings(1)), id.value(), version, tail.block(),
                tail.appended().size(), until);
    }

    private boolean storeIf(String sql, Object... parameters) {
        return clickHouse.ask(Step.STORE_IF, jdbc -> jdbc.update(sql, parameters) > 0);
    }

    private String insert(List<StateRow> rows) {
        return sql.insert(clickHouse.insertSettings(rows.size()));
    }

    /** Half a surrogate pair would be stored as a question mark, without a word. */
    private static void checkText(StateRow row) {
        for (String text : new @Nullable String[]{row.partialState(), row.completedState()}) {
            if (text != null && !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
                throw new IllegalArgumentException("A state to be written holds half a surrogate pair.");
            }
        }
    }
}

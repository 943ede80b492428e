package dev.statehouse.clickhouse;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Time;
import dev.statehouse.state.StateLog;

/**
 * Asks for the log of some ids: of one that was looked at moments ago, for the rows that came since; of one with many rows,
 * for those above a snapshot; else for all rows.
 */
final class LogReader {

    /** How many rows are looked at without asking for snapshots: so many in any case, and so many more for each id. */
    private static final int LIMIT = 500;
    private static final int LIMIT_BY_ID = 50;
    private static final int LARGE = 250;

    private final ClickHouse clickHouse;
    private final LedgerSql sql;
    private final Time time;
    private final LargeLogs large;
    private final RecentLooks recent;

    LogReader(ClickHouse clickHouse, LedgerSql sql, Time time) {
        this.clickHouse = clickHouse;
        this.sql = sql;
        this.time = time;
        this.large = new LargeLogs(time);
        this.recent = new RecentLooks(time);
    }

    /** The log alone, or with the rows of the state table. */
    enum What {

        LOG("Looking at the ledger"), LOG_AND_ROWS("Reading states and the ledger");

        private final String inWords;

        What(String inWords) {
            this.inWords = inWords;
        }

        /** The ids that the statement takes behind those of the log. */
        private List<String> more(Collection<StateId> ids) {
            return this == LOG ? List.of() : ids.stream().map(StateId::value).toList();
        }
    }

    StateLog.Reading read(Collection<StateId> ids, What what) {
        return ids.size() == 1
                ? readOne(ids.iterator().next(), what, recent.newest(ids.iterator().next()))
                : reading(ids, what);
    }

    /** @param since rows appended since then travel, in nanoseconds */
    Look lookBack(StateId id, long since) {
        return readOne(id, What.LOG, recent.newestAt(id, since)).look();
    }

    private StateLog.Reading readOne(StateId id, What what, Optional<RecentLooks.Seen> seen) {
        Optional<StateLog.Reading> more = seen.flatMap(it -> goOn(id, what, it));
        StateLog.Reading reading = more.orElseGet(() -> reading(List.of(id), what));
        recent.keep(id, reading.look(), more.isPresent() ? seen : Optional.empty());
        return reading;
    }

    private Optional<StateLog.Reading> goOn(StateId id, What what, RecentLooks.Seen seen) {
        long sentAt = time.nanos();
        List<Object> parameters = new ArrayList<>(List.of(id.value(), seen.newest().block()));
        parameters.addAll(what.more(List.of(id)));
        LedgerRows rows = query(what, what == What.LOG ? sql.news(LIMIT) : sql.newsAndRead(LIMIT), parameters);
        return rows.logSize() < LIMIT && seen.isContinuedBy(rows.log().getOrDefault(id, List.of()))
                ? Optional.of(rows.reading(sentAt, Map.of(id, seen.folded())))
                : Optional.empty();
    }

    /** Asks again where there may have been more rows than the limit: half a log must not be folded. */
    private StateLog.Reading reading(Collection<StateId> ids, What what) {
        int limit = LIMIT + LIMIT_BY_ID * ids.size();
        while (true) {
            long sentAt = time.nanos();
            Set<StateId> above = large.among(ids);
            LedgerRows rows = query(ids, above, what, limit);
            if (rows.logSize() < limit) {
                return rows.reading(sentAt, Map.of());
            }
            Set<StateId> grown = rows.idsWithMoreThan(LARGE);
            grown.removeAll(above);
            large.add(grown);
            limit = grown.isEmpty() ? limit * 8 : limit;
        }
    }

    private LedgerRows query(Collection<StateId> ids, Set<StateId> above, What what, int limit) {
        List<Object> parameters = new ArrayList<>();
        ids.stream().filter(id -> !above.contains(id)).map(StateId::value).forEach(parameters::add);
        int small = parameters.size();
        above.forEach(id -> {
            long upto = snapshot(id);
            parameters.addAll(List.of(id.value(), upto, upto));
        });
        parameters.addAll(what.more(ids));
        return query(what, what == What.LOG
                ? sql.look(small, above.size(), limit)
                : sql.lookAndRead(small, above.size(), limit), parameters);
    }

    /** @return 0 without one */
    private long snapshot(StateId id) {
        return clickHouse.ask("Looking for a snapshot",
                jdbc -> jdbc.queryForList(sql.snapshot(), Long.class, id.value()))
                .stream()
                .findFirst()
                .orElse(0L);
    }

    private LedgerRows query(What what, String statement, List<Object> parameters) {
        return clickHouse.ask(what.inWords, jdbc -> {
            LedgerRows rows = new LedgerRows();
            jdbc.query(statement, rows, parameters.toArray());
            return rows;
        });
    }
}

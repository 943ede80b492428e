package dev.statehouse.clickhouse;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Folded;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Time;
import dev.statehouse.state.StateLog;

/**
 * Asks for the log of some ids: of those that were looked at moments ago, for the rows that came since; of those with
 * many rows, for those above a snapshot; else for all rows.
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

        LOG(Step.LOOK), LOG_AND_ROWS(Step.READ_AND_LOOK);

        private final Step step;

        What(Step step) {
            this.step = step;
        }

        /** The ids that the statement takes behind those of the log. */
        private List<String> more(Collection<StateId> ids) {
            return this == LOG ? List.of() : ids.stream().map(StateId::value).toList();
        }
    }

    StateLog.Reading read(Collection<StateId> ids, What what) {
        return read(ids, what, recent.newest(ids));
    }

    /** @param since rows appended since then travel, in nanoseconds */
    Look lookBack(StateId id, long since) {
        return read(List.of(id), What.LOG, recent.newestAt(id, since)).look();
    }

    /**
     * Asks again where there may have been more rows than the limit: half a log must not be folded; and where what was seen
     * does not stand there any more.
     *
     * @param seen what this instance saw of some of the ids
     */
    private StateLog.Reading read(Collection<StateId> ids, What what, Map<StateId, RecentLooks.Seen> seen) {
        Map<StateId, RecentLooks.Seen> known = new LinkedHashMap<>(seen);
        int limit = LIMIT + LIMIT_BY_ID * ids.size();
        while (true) {
            long sentAt = time.nanos();
            Set<StateId> above = large.among(ids.stream().filter(id -> !known.containsKey(id)).toList());
            LedgerRows rows = query(ids, known, above, what, limit);
            boolean whole = rows.logSize() < limit;
            boolean stands = !known.entrySet().removeIf(each -> !each.getValue().isContinuedBy(rows.of(each.getKey())));
            if (whole && stands) {
                Map<StateId, Folded> starts = new HashMap<>();
                known.forEach((id, it) -> starts.put(id, it.folded()));
                StateLog.Reading reading = rows.reading(sentAt, starts);
                ids.forEach(id -> recent.keep(id, reading.look(), Optional.ofNullable(known.get(id))));
                return reading;
            }
            if (!whole) {
                Set<StateId> grown = rows.idsWithMoreThan(LARGE);
                grown.removeAll(above);
                large.add(grown);
                known.keySet().removeAll(grown);
                limit = grown.isEmpty() ? limit * 8 : limit;
            }
        }
    }

    private LedgerRows query(Collection<StateId> ids, Map<StateId, RecentLooks.Seen> known, Set<StateId> above,
            What what, int limit) {
        List<Object> parameters = new ArrayList<>();
        List<StateId> others = ids.stream().filter(id -> !known.containsKey(id) && !above.contains(id)).toList();
        boolean allKnown = others.isEmpty() && above.isEmpty();
        if (allKnown) {
            known.values().stream().mapToLong(it -> it.newest().block() - 1).min().ifPresent(parameters::add);
        }
        known.keySet().forEach(id -> parameters.add(id.value()));
        if (known.size() > 1) {
            known.keySet().forEach(id -> parameters.add(id.value()));
        }
        known.values().forEach(it -> parameters.add(it.newest().block()));
        others.forEach(id -> parameters.add(id.value()));
        above.forEach(id -> {
            long upto = snapshot(id);
            parameters.addAll(List.of(id.value(), upto, upto));
        });
        parameters.addAll(what.more(ids));
        return query(what, what == What.LOG
                ? sql.look(known.size(), others.size(), above.size(), limit)
                : sql.lookAndRead(known.size(), others.size(), above.size(), limit), parameters,
                !allKnown);
    }

    /** @return 0 without one */
    private long snapshot(StateId id) {
        return clickHouse.ask(Step.SNAPSHOT,
                jdbc -> jdbc.queryForList(sql.snapshot(), Long.class, id.value()))
                .stream()
                .findFirst()
                .orElse(0L);
    }

    private LedgerRows query(What what, String statement, List<Object> parameters, boolean textsOfSnapshots) {
        return clickHouse.ask(what.step, jdbc -> {
            LedgerRows rows = new LedgerRows(textsOfSnapshots);
            jdbc.query(statement, rows, parameters.toArray());
            return rows;
        });
    }
}

package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.ledger.Rulebook;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Makes the ledger where it is missing, and refuses one that does not give what the order of the log stands on:
 * <ol>
 * <li>The server knows block numbers as columns.
 * <li>The table is a plain MergeTree: with Replicated or Shared engines a row may be seen before one of a lower block.
 * <li>Block numbers and offsets are kept, else they change when parts are merged.
 * <li>Of these the second and third only where the ledger decides; with another strategy it holds no more than the mark.
 * <li>The first mark in it names the rules and the strategy of this service; a ledger without one is marked.
 * </ol>
 */
final class LedgerSchema {

    private static final String EXACT = "ledger";
    private static final Pattern SERVER_VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");
    private static final int OLDEST_MAJOR = 24;
    private static final int OLDEST_MINOR = 8;
    private static final String LOOK = "SELECT engine, engine_full, sorting_key, partition_key FROM system.tables"
            + " WHERE database = ? AND name = ?";
    private static final String COLUMNS = "SELECT state_id, event, event_id, lock, owner, ttl_ms, fencing_token, base,"
            + " version, partial_state, completed_state, read_at, upto, fold, at, _block_number, _block_offset FROM %s LIMIT 0";
    private static final String MARKS = "SELECT version, owner FROM %s WHERE event = 'mark' AND state_id = ''"
            + " ORDER BY _block_number, _block_offset LIMIT 1";
    private static final String MARK = "INSERT INTO %s (state_id, event, event_id, owner, version)"
            + " SETTINGS async_insert = 0 VALUES ('', 'mark', ?, ?, ?)";

    private final TableName ledger;
    private final String strategy;

    private record Table(String engine, String engineFull, String sortingKey, String partitionKey) {}

    private record Mark(long rules, String strategy) {}

    LedgerSchema(TableName state, String strategy) {
        this.ledger = state.ledger();
        this.strategy = strategy;
    }

    /**
     * @throws SettingException if the ledger cannot be used as it is
     * @throws DataAccessException if ClickHouse does not answer, or refuses
     */
    void apply(JdbcTemplate jdbc) {
        checkServer(String.valueOf(jdbc.queryForObject("SELECT version()", String.class)));
        Table found = look(jdbc);
        if (found == null) {
            create(jdbc);
            found = look(jdbc);
        }
        if (found == null) {
            throw refused("is not there, and this service's user is not allowed to see it",
                    "Grant the user SELECT and INSERT on it.");
        }
        if (strategy.equals(EXACT)) {
            check(found);
            jdbc.execute(COLUMNS.formatted(ledger.sql()));
        }
        checkMark(jdbc);
    }

    private static void checkServer(String version) {
        Matcher parts = SERVER_VERSION.matcher(version);
        if (!parts.matches() || Integer.parseInt(parts.group(1)) * 100
                + Integer.parseInt(parts.group(2)) < OLDEST_MAJOR * 100 + OLDEST_MINOR) {
            throw new SettingException("This ClickHouse is of version " + version
                    + "; the ledger needs the columns of block numbers, which came with 24.8.",
                    "Use ClickHouse 24.8 or newer.");
        }
    }

    private @Nullable Table look(JdbcTemplate jdbc) {
        List<Table> found = jdbc.query(LOOK,
                (row, n) -> new Table(row.getString(1), row.getString(2), row.getString(3), row.getString(4)),
                ledger.schema(), ledger.table());
        return found.isEmpty() ? null : found.getFirst();
    }

    private void create(JdbcTemplate jdbc) {
        try {
            Ddl.create(jdbc, "ledger.sql", ledger, Ddl.partSettings("ledger.settings"));
        } catch (DataAccessException e) {
            // Two instances that create at the same moment may disturb each other: what counts is what is there then.
            if (look(jdbc) == null) {
                throw e;
            }
        }
    }

    private void check(Table found) {
        if (!found.engine().equals("MergeTree")) {
            throw refused("has the engine " + found.engine(), "The order of its blocks is exact in a plain MergeTree on"
                    + " one server alone: on a cluster use statehouse.lock.strategy=settle, which is best effort. "
                    + RENAME);
        }
        if (!isOn(found, "enable_block_number_column") || !isOn(found, "enable_block_offset_column")) {
            throw refused("does not keep its block numbers: enable_block_number_column or enable_block_offset_column is"
                    + " not 1", "That cannot be mended afterwards. " + RENAME);
        }
        if (!found.sortingKey().equals("state_id, at") || !found.partitionKey().isEmpty()) {
            throw refused(
                    "is ordered by (" + found.sortingKey() + ") and partitioned by (" + found.partitionKey() + ")",
                    "Needed is ORDER BY (state_id, at) and no partitions. " + RENAME);
        }
    }

    private static final String RENAME = "Rename it while no instance runs, so that the service can create its own:"
            + " locks are free then, states stay.";

    private static boolean isOn(Table found, String setting) {
        return Pattern.compile("\\b" + setting + " = (1|true)\\b").matcher(found.engineFull()).find();
    }

    private void checkMark(JdbcTemplate jdbc) {
        Mark mark = mark(jdbc);
        if (mark == null) {
            jdbc.update(MARK.formatted(ledger.sql()), UUID.randomUUID().toString(), strategy, Rulebook.VERSION);
            mark = mark(jdbc);
        }
        if (mark == null) {
            throw refused("lost its mark while it was written", "Something removes rows from it; it must not.");
        }
        if (mark.rules() != Rulebook.VERSION) {
            throw refused("is kept by rules of version " + mark.rules() + "; this service knows version "
                    + Rulebook.VERSION, "Run one version of the service at a time on one table.");
        }
        if (!mark.strategy().equals(strategy)) {
            throw refused("is kept by the strategy '" + mark.strategy() + "'; this instance has '" + strategy + "'",
                    "Set statehouse.lock.strategy to the same for all instances on one table.");
        }
    }

    private @Nullable Mark mark(JdbcTemplate jdbc) {
        List<Mark> marks = jdbc.query(MARKS.formatted(ledger.sql()),
                (row, n) -> new Mark(row.getLong(1), row.getString(2)));
        return marks.isEmpty() ? null : marks.getFirst();
    }

    private SettingException refused(String found, String action) {
        return new SettingException("The table " + ledger + " cannot be used as the ledger: it " + found + ".", action);
    }
}

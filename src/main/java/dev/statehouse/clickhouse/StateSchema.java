package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Makes the state table where it is missing, and looks at it where it is there, whoever made it:
 * <ol>
 * <li>Look whether the table is there. If so, no right to CREATE is needed.
 * <li>If not, create the database where that is missing too, then the table. Several instances may do so at once; who
 * comes second finds it there.
 * <li>Compare engine, sorting key and columns with what the service needs.
 * <li>Read nothing and write nothing, to see that the user may.
 * </ol>
 */
final class StateSchema {

    private static final String LOOK = "SELECT engine, engine_full, sorting_key FROM system.tables"
            + " WHERE database = ? AND name = ?";
    private static final String COLUMNS = "SELECT name, type FROM system.columns WHERE database = ? AND table = ?";
    private static final String DATABASE = "SELECT count() FROM system.databases WHERE name = ?";

    private static final Pattern ENGINE = Pattern.compile("(?:Replicated|Shared)?ReplacingMergeTree");
    private static final Pattern VERSION = Pattern.compile("ReplacingMergeTree\\((?:'[^']*', '[^']*', )?updated_at\\)");
    private static final Pattern STAMP = Pattern.compile("DateTime64\\(3(, '[^']+')?\\)");

    private final TableName table;
    private final @Nullable JdbcTemplate outside;

    private record Table(String engine, String engineFull, String sortingKey) {}

    /**
     * @param outside
     *            opens another database of the same server; null where the pool's own is not the schema, and so is not
     *            the service's to create
     */
    StateSchema(TableName table, @Nullable JdbcTemplate outside) {
        this.table = table;
        this.outside = outside;
    }

    /**
     * @throws SettingException
     *             if the table cannot be used as it is
     * @throws DataAccessException
     *             if ClickHouse does not answer, or refuses
     */
    void apply(JdbcTemplate jdbc) {
        try {
            applyInside(jdbc);
        } catch (DataAccessException e) {
            if (outside == null || ErrorTranslator.code(e) != ErrorTranslator.UNKNOWN_DATABASE) {
                throw e;
            }
            // The very database that the connections open is missing, so that none can create it.
            outside.execute(createDatabase());
            applyInside(jdbc);
        }
    }

    private void applyInside(JdbcTemplate jdbc) {
        Table found = look(jdbc);
        if (found == null) {
            create(jdbc);
            found = look(jdbc);
        }
        if (found == null) {
            throw refused("is not there", "and this service's user is not allowed to see it");
        }
        check(found);
        check(columns(jdbc));
        String four = "state_id, partial_state, completed_state, updated_at";
        jdbc.execute("SELECT " + four + " FROM " + table.sql() + " LIMIT 0");
        jdbc.execute("INSERT INTO " + table.sql() + " (" + four + ") SELECT '', NULL, NULL, now64(3) WHERE 0");
    }

    private String createDatabase() {
        return "CREATE DATABASE IF NOT EXISTS " + Names.quoted(table.schema());
    }

    private @Nullable Table look(JdbcTemplate jdbc) {
        List<Table> found = jdbc.query(LOOK,
                (row, n) -> new Table(row.getString(1), row.getString(2), row.getString(3)), table.schema(),
                table.table());
        return found.isEmpty() ? null : found.getFirst();
    }

    private Map<String, String> columns(JdbcTemplate jdbc) {
        Map<String, String> types = new HashMap<>();
        jdbc.query(COLUMNS, row -> {
            types.put(row.getString(1), row.getString(2));
        }, table.schema(), table.table());
        return types;
    }

    private void create(JdbcTemplate jdbc) {
        try {
            Long databases = jdbc.queryForObject(DATABASE, Long.class, table.schema());
            if (databases == null || databases == 0) {
                jdbc.execute(createDatabase());
            }
            Ddl.create(jdbc, "state.sql", table, Ddl.partSettings("state.settings"));
        } catch (DataAccessException e) {
            // Two instances that create at the same moment may disturb each other: what counts is what is there then.
            if (look(jdbc) == null) {
                throw e;
            }
        }
    }

    private void check(Table found) {
        if (!ENGINE.matcher(found.engine()).matches() || !VERSION.matcher(found.engineFull()).find()) {
            throw refused("has the engine " + shortened(found.engineFull(), found.engine()),
                    "needed is ReplacingMergeTree(updated_at)");
        }
        if (!found.sortingKey().equals("state_id")) {
            throw refused("is ordered by (" + found.sortingKey() + ")", "needed is ORDER BY state_id");
        }
    }

    private void check(Map<String, String> columns) {
        column(columns, "state_id", Pattern.compile("String"), "String");
        column(columns, "partial_state", Pattern.compile("Nullable\\(String\\)"), "Nullable(String)");
        column(columns, "completed_state", Pattern.compile("Nullable\\(String\\)"), "Nullable(String)");
        column(columns, "updated_at", STAMP, "DateTime64(3)");
    }

    private void column(Map<String, String> columns, String name, Pattern type, String wanted) {
        String found = columns.get(name);
        if (found == null) {
            throw refused("has no column " + name, "needed is " + name + " " + wanted);
        }
        if (!type.matcher(found).matches()) {
            throw refused("has the column " + name + " of type " + found, "needed is " + wanted);
        }
    }

    private static String shortened(String engineFull, String engine) {
        int order = engineFull.indexOf(" ORDER BY");
        return order > 0 ? engineFull.substring(0, order) : engine;
    }

    private SettingException refused(String found, String needed) {
        return new SettingException("The table " + table + " cannot be used as the state table: it " + found + "; "
                + needed + ".",
                "Name another table (statehouse.clickhouse.schema and .table, CLICKHOUSE_SCHEMA and _TABLE), or rename"
                        + " this one so that the service can create its own.");
    }
}

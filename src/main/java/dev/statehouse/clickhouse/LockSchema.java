package dev.statehouse.clickhouse;

import org.springframework.jdbc.core.JdbcTemplate;

/** Makes the lock table of the Meltano add-on where it is missing; needs no right to CREATE where it is there. */
final class LockSchema {

    private final TableName table;

    LockSchema(TableName state) {
        this.table = state.lock();
    }

    void apply(JdbcTemplate jdbc) {
        Long there = jdbc.queryForObject("SELECT count() FROM system.tables WHERE database = ? AND name = ?",
                Long.class,
                table.schema(), table.table());
        if (there == null || there == 0) {
            jdbc.execute(Ddl.statement("lock.sql", table));
        }
        jdbc.execute("SELECT state_id, lock_id, locked_at FROM " + table.sql() + " LIMIT 0");
    }
}

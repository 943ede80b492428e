package dev.statehouse.clickhouse;

import java.util.List;

import dev.statehouse.state.TableSizes;

/**
 * The sizes as {@code system.tables} has them: it shows each user its own tables, while {@code system.parts} needs a right
 * of its own.
 */
final class ClickHouseTableSizes implements TableSizes {

    private static final String SIZES = "SELECT name, ifNull(active_parts, 0), ifNull(total_rows, 0), ifNull(total_bytes, 0)"
            + " FROM system.tables WHERE database = ? AND name IN (?, ?)";

    private final ClickHouse clickHouse;
    private final TableName state;

    ClickHouseTableSizes(ClickHouse clickHouse, TableName state) {
        this.clickHouse = clickHouse;
        this.state = state;
    }

    @Override
    public List<TableSize> sizes() {
        return clickHouse.ask(Step.SIZES, jdbc -> jdbc.query(SIZES,
                (row, n) -> new TableSize(row.getString(1).equals(state.table()) ? "state" : "ledger", row.getLong(2),
                        row.getLong(3), row.getLong(4)),
                state.schema(), state.table(), state.ledger().table()));
    }
}

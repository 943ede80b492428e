package dev.statehouse.clickhouse;

/**
 * The state table; the names of the other tables derive from it.
 *
 * @param schema the database that the table is in
 * @param table its name there
 */
record TableName(String schema, String table) {

    TableName {
        Names.checked("statehouse.clickhouse.schema", schema);
        Names.checked("statehouse.clickhouse.table", table);
    }

    static TableName of(ClickHouseProperties properties) {
        ClickHouseUri uri = properties.uri() == null ? ClickHouseUri.NONE : ClickHouseUri.parse(properties.uri());
        String schema = properties.schema() != null ? properties.schema() : uri.schema();
        String table = properties.table() != null ? properties.table() : uri.table();
        return new TableName(schema != null ? schema : "meltano", table != null ? table : "state");
    }

    /** The ledger beside it. */
    TableName ledger() {
        return new TableName(schema, table + "_ledger");
    }

    /** The lock table of the Meltano add-on beside it. */
    TableName lock() {
        return new TableName(schema, table + "_lock");
    }

    /** Quoted, for a statement. */
    String sql() {
        return Names.quoted(schema) + "." + Names.quoted(table);
    }

    /** For people. */
    @Override
    public String toString() {
        return schema + "." + table;
    }
}

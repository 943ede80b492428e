package dev.statehouse.clickhouse;

import dev.statehouse.state.StateStore;
import dev.statehouse.state.StateStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

class ClickHouseStateStoreIT extends StateStoreContract {

    private static TestTables tables;
    private static ClickHouseStateStore store;

    @BeforeAll
    static void open() {
        tables = TestTables.open();
        store = tables.store();
    }

    @AfterAll
    static void close() {
        tables.close();
    }

    @BeforeEach
    void empty() {
        tables.jdbc.execute("TRUNCATE TABLE " + tables.table.sql());
    }

    @Override
    protected StateStore store() {
        return store;
    }
}

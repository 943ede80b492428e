package dev.statehouse.clickhouse;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import dev.statehouse.batch.TestBatches;
import dev.statehouse.testing.TestClickHouse;
import dev.statehouse.trace.Spans;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** One connection to the ClickHouse of the tests, with a database of its own. */
final class TestTables implements AutoCloseable {

    final ClickHouseAddress address;
    final TableName table;
    final HikariDataSource pool;
    final JdbcTemplate jdbc;

    private TestTables(ClickHouseAddress address, TableName table, Duration timeout) {
        this.address = address;
        this.table = table;
        this.pool = Pool.open(address, settings(timeout));
        this.jdbc = new VerbatimJdbcTemplate(pool);
    }

    static TestTables open() {
        return open(server(), TestClickHouse.shared().freshName(), "state", Duration.ofSeconds(10));
    }

    static TestTables open(ClickHouseAddress address, String schema, String table, Duration timeout) {
        return new TestTables(address, new TableName(schema, table), timeout);
    }

    static ClickHouseAddress server() {
        return ClickHouseAddress.of(properties(TestClickHouse.shared().uri("default")));
    }

    static ClickHouseProperties settings(Duration timeout) {
        return new ClickHouseProperties(null, null, null, null, null, null, null, null, null, timeout, 4);
    }

    static ClickHouseProperties properties(@Nullable String uri) {
        return new ClickHouseProperties(uri, null, null, null, null, null, null, null, null, Duration.ofSeconds(5), 8);
    }

    /** Applies the schema. */
    ClickHouseStateStore store() {
        SchemaKeeper keeper = new SchemaKeeper(new StateSchema(table, Pool.outside(address, table))::apply, jdbc,
                address);
        keeper.start();
        keeper.stop();
        return new ClickHouseStateStore(
                new ClickHouse(jdbc, keeper, 4, Duration.ofSeconds(10), new SimpleMeterRegistry(), Spans.NONE),
                table, TestBatches.PROPERTIES.forReads(Duration.ofSeconds(10)), TestBatches.meters());
    }

    @Override
    public void close() {
        try {
            jdbc.execute("DROP DATABASE IF EXISTS " + Names.quoted(table.schema()));
        } finally {
            pool.close();
        }
    }
}

package dev.statehouse.clickhouse;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import dev.statehouse.batch.TestBatches;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Time;
import dev.statehouse.lock.LockTable;
import dev.statehouse.state.StateLog;
import dev.statehouse.state.StateStore;
import dev.statehouse.state.TableSizes;
import dev.statehouse.testing.TestClickHouse;
import dev.statehouse.testing.TestTime;
import dev.statehouse.trace.Spans;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.springframework.jdbc.core.JdbcTemplate;

/** The ports of one instance of the service, with a pool of its own; the tables are made where they are missing. */
public final class TestInstance implements AutoCloseable {

    private final ClickHouseAddress address;
    private final TableName table;
    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final ClickHouse clickHouse;
    private final TestTime time = new TestTime();

    private TestInstance(ClickHouseAddress address, String schema) {
        this.address = address;
        table = new TableName(schema, "state");
        pool = Pool.open(address, TestTables.settings(Duration.ofSeconds(10)));
        jdbc = new VerbatimJdbcTemplate(pool);
        SchemaKeeper keeper = new SchemaKeeper(asked -> applySchema(), jdbc, address);
        keeper.start();
        keeper.stop();
        clickHouse = new ClickHouse(jdbc, keeper, 4, Duration.ofSeconds(30), new SimpleMeterRegistry(), Spans.NONE);
    }

    /** On the ClickHouse that the tests share. */
    public static TestInstance open(String schema) {
        return new TestInstance(TestTables.server(), schema);
    }

    /** On another. */
    public static TestInstance open(String uri, String schema) {
        return new TestInstance(ClickHouseAddress.of(TestTables.properties(uri)), schema);
    }

    /** A database that nobody else has, for {@link #open(String)}. */
    public static String freshSchema() {
        return TestClickHouse.shared().freshName();
    }

    public String schema() {
        return table.schema();
    }

    public void applySchema() {
        new StateSchema(table, Pool.outside(address, table)).apply(jdbc);
        new LedgerSchema(table, "ledger").apply(jdbc);
        new LockSchema(table).apply(jdbc);
    }

    /** The lock table of the Meltano add-on. */
    public LockTable lockTable() {
        return new ClickHouseLockTable(clickHouse, table);
    }

    public Ledger ledger() {
        return new ClickHouseLedger(clickHouse, table, time);
    }

    public StateLog log() {
        return new ClickHouseLedger(clickHouse, table, time);
    }

    public StateStore store() {
        return new ClickHouseStateStore(clickHouse, table, TestBatches.PROPERTIES.forReads(Duration.ofSeconds(10)),
                TestBatches.meters());
    }

    public TableSizes tableSizes() {
        return new ClickHouseTableSizes(clickHouse, table);
    }

    public Time time() {
        return time;
    }

    /** Moves this instance's clock on. */
    public void jump(Duration by) {
        time.jump(by);
    }

    /** The second channel: statements of the test's own. {@code $ledger}, {@code $lock} and {@code $state} stand for the tables. */
    public void execute(String sql, Object... parameters) {
        jdbc.update(named(sql), parameters);
    }

    /** One value; 0 where it is null. */
    public long number(String sql, Object... parameters) {
        Long value = jdbc.queryForObject(named(sql), Long.class, parameters);
        return value == null ? 0 : value;
    }

    /** One value; "" where it is null. */
    public String text(String sql, Object... parameters) {
        String value = jdbc.queryForObject(named(sql), String.class, parameters);
        return value == null ? "" : value;
    }

    private String named(String sql) {
        return sql.replace("$ledger", table.ledger().sql())
                .replace("$lock", table.lock().sql())
                .replace("$state", table.sql());
    }

    public void dropSchema() {
        jdbc.execute("DROP DATABASE IF EXISTS " + Names.quoted(table.schema()) + " SYNC");
    }

    @Override
    public void close() {
        pool.close();
    }
}

package dev.statehouse.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import dev.statehouse.id.StateId;
import dev.statehouse.state.StateRow;
import dev.statehouse.testing.SwitchedPort;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.BatchPreparedStatementSetter;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What clickhouse-jdbc does that nobody expects, and that it does not get through here. */
class DriverTrapsIT {

    private static final String ESCAPES = "{\"q\":\"{fn now()}\",\"d\":\"{d '2026-01-01'}\",\"t\":\"{ts '2026-01-01 0:0:0'}\"}";

    private final TestTables tables = TestTables.open();
    private final ClickHouseStateStore store = tables.store();
    private final String text = tables.table.sql();

    @BeforeEach
    void values() {
        tables.jdbc.execute("CREATE TABLE " + schema() + ".v (n Int64, s String, o Nullable(String)) ENGINE = Memory");
    }

    @AfterEach
    void close() {
        tables.close();
    }

    private String schema() {
        return Names.quoted(tables.table.schema());
    }

    private List<String> stored() {
        return tables.jdbc.query("SELECT s FROM " + schema() + ".v ORDER BY n", (row, n) -> row.getString(1));
    }

    @Test
    void escapesAreRewrittenUnlessTheTemplateForbidsIt() {
        String insert = "INSERT INTO " + schema() + ".v (n, s) VALUES (?, ?)";
        new JdbcTemplate(tables.pool).update(insert, 0, ESCAPES);
        // If this fails, the driver has learnt; the template may then go.
        assertThat(stored()).containsExactly(ESCAPES.replace("{fn now()}", "now()"));
    }

    @Test
    void noPathThroughTheTemplateRewritesEscapes() {
        String insert = "INSERT INTO " + schema() + ".v (n, s) VALUES (?, ?)";
        tables.jdbc.update(insert, 1, ESCAPES);
        tables.jdbc.batchUpdate(insert, List.of(new Object[]{2, ESCAPES}, new Object[]{3, ESCAPES}));
        tables.jdbc.batchUpdate(insert, new BatchPreparedStatementSetter() {

            @Override
            public void setValues(PreparedStatement statement, int i) throws SQLException {
                statement.setInt(1, 4);
                statement.setString(2, ESCAPES);
            }

            @Override
            public int getBatchSize() {
                return 1;
            }
        });
        tables.jdbc.execute("INSERT INTO " + schema() + ".v (n, s) VALUES (5, '" + ESCAPES.replace("'", "\\'") + "')");
        JdbcClient.create(tables.jdbc).sql(insert).params(6, ESCAPES).update();
        new NamedParameterJdbcTemplate(tables.jdbc).update("INSERT INTO " + schema() + ".v (n, s) VALUES (7, :s)",
                java.util.Map.of("s", ESCAPES));
        assertThat(stored()).hasSize(7).containsOnly(ESCAPES);
        assertThat(tables.jdbc.queryForObject("SELECT ?", String.class, ESCAPES)).isEqualTo(ESCAPES);
        assertThat(tables.jdbc.queryForStream("SELECT ?", (row, n) -> row.getString(1), ESCAPES).toList())
                .containsExactly(ESCAPES);
    }

    @Test
    void nullStaysNullAndBecomesEmptyOnlyWhereTheColumnHasNone() {
        tables.jdbc.update("INSERT INTO " + schema() + ".v (n, s, o) VALUES (1, ?, ?)", statement -> {
            statement.setString(1, null);
            statement.setString(2, null);
        });
        assertThat(tables.jdbc.queryForList("SELECT s, o FROM " + schema() + ".v").getFirst()).containsEntry("s", "")
                .containsEntry("o", null);
        store.write(List.of(new StateRow(new StateId("a"), null, null, 1)));
        assertThat(tables.jdbc.queryForObject("SELECT partial_state IS NULL AND completed_state IS NULL FROM " + text,
                Integer.class)).isEqualTo(1);
    }

    @Test
    void halfASurrogatePairIsRefusedAsTheDriverWouldStoreAQuestionMark() {
        tables.jdbc.update("INSERT INTO " + schema() + ".v (n, s) VALUES (1, ?)", "\uD83D");
        assertThat(stored()).containsExactly("?");
        assertThatThrownBy(() -> store.write(List.of(new StateRow(new StateId("a"), null, "{\"a\":\"\uD83D\"}", 1))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(store.read(List.of(new StateId("a"))).rows()).isEmpty();
    }

    @Test
    void largeNumbersComeAsBigInteger() {
        assertThat(tables.jdbc.queryForObject("SELECT toUInt64(18446744073709551615)", Object.class)).isInstanceOf(
                BigInteger.class);
        assertThat(tables.jdbc.queryForObject("SELECT count() FROM " + text, Object.class))
                .isInstanceOf(BigInteger.class);
    }

    @Test
    void aValueBeyondTheServersQuerySizeFitsWhereTheServiceNeedsIt() {
        String id = "\\".repeat(700_000);
        assertThat(tables.jdbc.queryForObject("SELECT length(?)", Long.class, id)).isEqualTo(700_000L);
        assertThat(tables.jdbc.queryForObject("SELECT value FROM system.settings WHERE name = 'max_query_size'",
                String.class)).isEqualTo("16777216");
    }

    /**
     * A user's profile may ask for the part of a result that is within a limit; what comes with the statement goes before
     * it. A server does not tell of what is no different from its own, so the way to it is cut where this is seen.
     */
    @ParameterizedTest
    @ValueSource(strings = {"result", "read", "timeout"})
    void everyStatementAsksForTheWholeResult(String limit) {
        TestClickHouse server = TestClickHouse.shared();
        try (SwitchedPort way = new SwitchedPort(server.host(), server.port(), false);
                HikariDataSource pool = Pool.open(
                        ClickHouseAddress.of(TestTables.properties(server.uri("default")
                                .replaceFirst("@[^/]*/", "@127.0.0.1:" + way.port() + "/"))),
                        TestTables.settings(Duration.ofSeconds(10)))) {
            JdbcTemplate jdbc = new VerbatimJdbcTemplate(pool);
            assertThat(jdbc.queryForObject("SELECT 1", Integer.class)).isEqualTo(1);
            way.cutAt(limit + "_overflow_mode=throw");
            assertThatThrownBy(() -> jdbc.queryForObject("SELECT 1", Integer.class))
                    .isInstanceOf(DataAccessException.class);
        }
    }

    @Test
    void insertsWaitForTheRowsToBeThere() {
        // The default of the server is to collect inserts; each INSERT here says otherwise in its own text.
        assertThat(new StateSql(tables.table).insert("")).contains("SETTINGS async_insert = 0");
        for (int i = 0; i < 50; i++) {
            store.write(List.of(new StateRow(new StateId("a"), null, "{\"n\":" + i + "}", 1_000 + i)));
            assertThat(store.read(List.of(new StateId("a"))).rows().get(new StateId("a")))
                    .isEqualTo(new StateRow(new StateId("a"), null, "{\"n\":" + i + "}", 1_000 + i));
        }
    }

    /** Parking inside of a driver's lock would hold a carrier: with one carrier, sleepers would then come one by one. */
    @Test
    void callsOfVirtualThreadsOverlap() throws Exception {
        tables.jdbc.queryForObject("SELECT 1", Integer.class);
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
        long begin = System.nanoTime();
        for (int i = 0; i < 4; i++) {
            Thread thread = Thread.ofVirtual()
                    .unstarted(() -> tables.jdbc.queryForObject("SELECT sleep(1)",
                            Integer.class));
            thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat((System.nanoTime() - begin) / 1_000_000).isLessThan(2_900);
    }
}

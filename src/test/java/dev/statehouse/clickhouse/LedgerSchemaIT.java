package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.statehouse.embedded.EngineUser;
import dev.statehouse.ledger.Rulebook;
import dev.statehouse.testing.TestClickHouse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The ledger's table: made, marked, taken as it is, or refused. The second channel is bare HTTP. */
class LedgerSchemaIT {

    private final TestClickHouse clickHouse = TestClickHouse.shared();
    private final String schema = clickHouse.createDatabase();
    private final TestTables tables = TestTables.open(TestTables.server(), schema, "state",
            java.time.Duration.ofSeconds(10));

    @AfterEach
    void drop() {
        tables.close();
    }

    private void apply(String strategy) {
        new LedgerSchema(tables.table, strategy).apply(tables.jdbc);
    }

    private String marks() {
        return clickHouse.query("SELECT owner, version FROM " + schema + ".state_ledger WHERE event = 'mark'");
    }

    @Test
    void isMadeAndMarkedOnce() {
        apply("ledger");
        apply("ledger");
        assertThat(marks()).isEqualTo("ledger\t" + Rulebook.VERSION);
        String made = clickHouse.query("SHOW CREATE TABLE " + schema + ".state_ledger");
        assertThat(made).contains("ENGINE = MergeTree", "ORDER BY (state_id, at)", "enable_block_number_column = 1",
                "enable_block_offset_column = 1", "index_granularity = 128", "bloom_filter")
                .doesNotContain("PARTITION BY");
        assertThat(clickHouse.query("SELECT countIf(comment = '') FROM system.columns WHERE database = '" + schema
                + "' AND table = 'state_ledger'")).isEqualTo("0");
    }

    @Test
    void settingsThatTheServerDoesNotKnowAreLeftOut() {
        Ddl.create(tables.jdbc, "ledger.sql", tables.table.ledger(),
                List.of("no_such_setting = 1", "compress_marks = 0", "nor_this = 'x'"));
        assertThat(clickHouse.query("SHOW CREATE TABLE " + schema + ".state_ledger"))
                .contains("enable_block_number_column = 1", "compress_marks = 0");
        assertThatThrownBy(() -> Ddl.create(new JdbcTemplate(tables.pool), "ledger.sql",
                new TableName("no_such_database", "t"), List.of("compress_marks = 0")))
                .hasStackTraceContaining("no_such_database");
    }

    @Test
    void whatMakesSmallPartsCheapIsSetOnBothTables() {
        apply("ledger");
        new StateSchema(tables.table, null).apply(tables.jdbc);
        assertThat(clickHouse.query("SELECT name || ' ' || extract(engine_full, 'min_parts_to_merge_at_once = [0-9]+')"
                + " || ' ' || extract(engine_full, 'merge_selector_base = [0-9]+')"
                + " || ' ' || extract(engine_full, 'compress_marks = [0-9]') FROM system.tables WHERE database = '"
                + schema
                + "' ORDER BY name"))
                .isEqualTo("state min_parts_to_merge_at_once = 10 merge_selector_base = 9 compress_marks = 0\n"
                        + "state_ledger min_parts_to_merge_at_once = 20 merge_selector_base = 16 compress_marks = 0");
    }

    @Test
    void writesAreForgottenAfterAnHourTheRestAfterThreeDaysAndTheMarkNever() {
        apply("ledger");
        clickHouse.query("SYSTEM STOP MERGES " + schema + ".state_ledger");
        clickHouse.query("INSERT INTO " + schema
                + ".state_ledger (event, at) SELECT arrayJoin(['request', 'wait', 'leave',"
                + " 'claim', 'renew', 'release', 'break', 'write', 'done', 'snapshot', 'mark']) AS event,"
                + " arrayJoin([now64(3) - INTERVAL 50 MINUTE, now64(3) - INTERVAL 70 MINUTE, now64(3) - INTERVAL 4 DAY])");
        clickHouse.query("SYSTEM START MERGES " + schema + ".state_ledger");
        clickHouse.query("OPTIMIZE TABLE " + schema + ".state_ledger FINAL");
        assertThat(clickHouse.query("SELECT event, count() FROM " + schema
                + ".state_ledger GROUP BY event ORDER BY event FORMAT CSV").replace("\"", "")).isEqualTo("""
                        break,2
                        claim,2
                        done,1
                        leave,2
                        mark,4
                        release,2
                        renew,2
                        request,2
                        snapshot,2
                        wait,2
                        write,1""");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ENGINE = MergeTree | ENGINE = ReplacingMergeTree | ReplacingMergeTree
            ENGINE = MergeTree | ENGINE = SummingMergeTree | SummingMergeTree
            enable_block_number_column = 1 | enable_block_number_column = 0 | block numbers
            enable_block_offset_column = 1 | enable_block_offset_column = 0 | block numbers
            ORDER BY (state_id, at) | ORDER BY (state_id, event_id) | ORDER BY (state_id, at)
            ORDER BY (state_id, at) | PARTITION BY event ORDER BY (state_id, at) | partition
            """)
    void isRefusedWhereItsOrderIsNotGiven(String right, String wrong, String told) {
        String sql = Ddl.read("ledger.sql").replace("${table}", schema + ".state_ledger");
        assertThat(sql).contains(right);
        clickHouse.query(sql.replace(right, wrong));
        assertThatThrownBy(() -> apply("ledger")).isInstanceOfSatisfying(SettingException.class,
                refused -> assertThat(refused.getMessage() + refused.action()).contains(told,
                        schema + ".state_ledger"));
        assertThat(clickHouse.query("SELECT count() FROM " + schema + ".state_ledger")).isEqualTo("0");
    }

    /** All is real but what the server says of its version. */
    private void applyOn(String version) {
        new LedgerSchema(tables.table, "ledger").apply(new JdbcTemplate(tables.pool) {

            @Override
            public <T> @Nullable T queryForObject(String sql, Class<T> type) {
                return sql.equals("SELECT version()") ? type.cast(version) : super.queryForObject(sql, type);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"24.7.6.8", "23.12.1.1368", "9.9", "", "new"})
    void aServerWithoutBlockNumbersIsRefusedAndNothingIsMade(String version) {
        assertThatThrownBy(() -> applyOn(version)).isInstanceOfSatisfying(SettingException.class,
                refused -> assertThat(refused.getMessage() + refused.action()).contains("version " + version, "24.8"));
        assertThat(clickHouse.query("EXISTS TABLE " + schema + ".state_ledger")).isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"24.8.1.2684", "24.12.1", "25.1", "100.0.1"})
    void aServerWithBlockNumbersIsTaken(String version) {
        applyOn(version);
        assertThat(clickHouse.query("EXISTS TABLE " + schema + ".state_ledger")).isEqualTo("1");
    }

    @Test
    void isRefusedWithoutOneOfItsColumns() {
        clickHouse.query(Ddl.read("ledger.sql").replace("${table}", schema + ".state_ledger"));
        clickHouse.query("ALTER TABLE " + schema + ".state_ledger DROP COLUMN read_at");
        assertThatThrownBy(() -> apply("ledger")).hasStackTraceContaining("read_at");
    }

    @Test
    void isRefusedUnderOtherRulesOrAnotherStrategy() {
        apply("settle");
        assertThatThrownBy(() -> apply("ledger")).isInstanceOf(SettingException.class)
                .hasMessageContainingAll("settle", "ledger");
        apply("settle");
        clickHouse.query("TRUNCATE TABLE " + schema + ".state_ledger");
        clickHouse.query("INSERT INTO " + schema + ".state_ledger (event, owner, version) VALUES ('mark', 'ledger', "
                + (Rulebook.VERSION + 1) + ")");
        assertThatThrownBy(() -> apply("ledger")).isInstanceOf(SettingException.class)
                .hasMessageContainingAll("version " + (Rulebook.VERSION + 1), "version " + Rulebook.VERSION);
        // A later mark changes nothing: the first one counts for all.
        clickHouse.query("INSERT INTO " + schema + ".state_ledger (event, owner, version) VALUES ('mark', 'ledger', "
                + Rulebook.VERSION + ")");
        assertThatThrownBy(() -> apply("ledger")).isInstanceOf(SettingException.class);
    }

    @Test
    void severalInstancesThatStartAtOnceDoNotTripOverEachOther() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                all.add(threads.submit(() -> apply("ledger")));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertThat(clickHouse.query("SELECT DISTINCT owner, version FROM " + schema + ".state_ledger"))
                .isEqualTo("ledger\t" + Rulebook.VERSION);
    }

    /** Each of them believes in one strategy or the other; never both. */
    @Test
    void ofTwoStrategiesThatStartAtOnceOneIsRefused() throws Exception {
        apply("ledger");
        clickHouse.query("TRUNCATE TABLE " + schema + ".state_ledger");
        List<String> accepted = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<String>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String strategy = i % 2 == 0 ? "ledger" : "settle";
                all.add(threads.submit(() -> {
                    try {
                        apply(strategy);
                        return strategy;
                    } catch (SettingException refused) {
                        return "";
                    }
                }));
            }
            for (Future<String> one : all) {
                accepted.add(one.get());
            }
        }
        accepted.removeIf(String::isEmpty);
        assertThat(accepted).hasSize(2).containsOnly(accepted.getFirst());
    }

    @Test
    void aUserWhoMayOnlyReadAndInsertIsEnoughForATableThatIsThere() {
        EngineUser user = new EngineUser("ledger_user", "p",
                List.of("GRANT SELECT, INSERT ON " + schema + ".state_ledger"));
        try (TestClickHouse server = TestClickHouse.withUsers(user)) {
            ClickHouseAddress address = new ClickHouseAddress(server.host(), server.port(), "default", user.name(),
                    user.password(), server.secure());
            server.query("CREATE DATABASE IF NOT EXISTS " + schema);
            TestTables his = TestTables.open(address, schema, "state", java.time.Duration.ofSeconds(10));
            try {
                LedgerSchema asUser = new LedgerSchema(his.table, "ledger");
                assertThatThrownBy(() -> asUser.apply(his.jdbc)).hasStackTraceContaining("CREATE TABLE");
                server.query(Ddl.read("ledger.sql").replace("${table}", schema + ".state_ledger"));
                asUser.apply(his.jdbc);
                assertThat(server.query("SELECT count() FROM " + schema + ".state_ledger")).isEqualTo("1");
            } finally {
                his.pool.close();
                server.query("DROP DATABASE " + schema + " SYNC");
            }
        }
    }
}

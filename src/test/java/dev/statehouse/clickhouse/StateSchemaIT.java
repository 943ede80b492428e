package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.statehouse.embedded.EngineUser;
import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.state.StateRow;
import dev.statehouse.state.StateStore;
import dev.statehouse.testing.TestClickHouse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The state table: made, taken as it is, or refused. The second channel is bare HTTP. */
class StateSchemaIT {

    private static final String ADD_ON = """
            CREATE TABLE %s (state_id String, partial_state Nullable(String), completed_state Nullable(String),
            updated_at DateTime64(3) DEFAULT now64(3)) ENGINE = ReplacingMergeTree(updated_at) ORDER BY state_id""";

    private final TestClickHouse clickHouse = TestClickHouse.shared();
    private final String schema = clickHouse.freshName();

    @AfterEach
    void drop() {
        clickHouse.query("DROP DATABASE IF EXISTS " + Names.quoted(schema) + " SYNC");
    }

    private TestTables tables() {
        return tables(schema, "state");
    }

    private static TestTables tables(String schema, String table) {
        return TestTables.open(TestTables.server(), schema, table, Duration.ofSeconds(10));
    }

    private void createAddOnTable() {
        clickHouse.query("CREATE DATABASE " + schema);
        clickHouse.query(ADD_ON.formatted(schema + ".state"));
    }

    private static StateRow row(String id, @Nullable String partial, @Nullable String completed, long version) {
        return new StateRow(new StateId(id), partial, completed, version);
    }

    private static List<String> list(StateStore store) {
        return store.list(Glob.ALL, null, 100).stream().map(s -> s.id().value()).toList();
    }

    @Test
    void makesTheTableForPointReads() {
        try (TestTables tables = tables()) {
            tables.store();
            assertThat(clickHouse.query("SHOW CREATE TABLE " + schema + ".state")).contains("index_granularity = 128",
                    "bloom_filter", "ReplacingMergeTree(updated_at)", "min_bytes_for_wide_part = 10000000000");
            assertThat(clickHouse.query("SELECT countIf(comment = '') FROM system.columns WHERE database = '" + schema
                    + "'")).isEqualTo("0");
            tables.store().write(List.of(row("a", null, "{\"c\":1}", 1_000)));
            assertThat(clickHouse.query("SELECT part_type FROM system.parts WHERE active AND database = '" + schema
                    + "'")).isEqualTo("Compact");
            tables.store();
            assertThat(list(tables.store())).containsExactly("a");
        }
    }

    @Test
    void oneListOfRowsIsOneInsert() {
        try (TestTables tables = tables()) {
            StateStore store = tables.store();
            clickHouse.query("SYSTEM STOP MERGES " + schema + ".state");
            store.write(
                    List.of(row("a", null, "{\"c\":1}", 1), row("b", "{\"c\":1}", null, 2), row("c", null, null, 3)));
            assertThat(
                    clickHouse.query("SELECT groupArray(rows) FROM system.parts WHERE active AND database = '" + schema
                            + "'"))
                    .isEqualTo("[3]");
        }
    }

    @Test
    void worksOnATableOfTheAddOn() throws Exception {
        createAddOnTable();
        clickHouse.query("INSERT INTO " + schema + ".state (state_id, partial_state, completed_state) VALUES"
                + " ('dev:a', NULL, '{\"singer_state\": {\"x\": 1}}'), ('dev:b', '{\"p\": 1}', NULL)");
        try (TestTables tables = tables()) {
            StateStore store = tables.store();
            assertThat(clickHouse.query("SHOW CREATE TABLE " + schema + ".state")).doesNotContain("128");
            StateRow a = Objects
                    .requireNonNull(store.read(List.of(new StateId("dev:a"))).rows().get(new StateId("dev:a")));
            assertThat(a.completedState()).isEqualTo("{\"singer_state\": {\"x\": 1}}");
            assertThat(a.partialState()).isNull();
            assertThat(a.version()).isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis() + 60_000);
            store.write(List.of(row("dev:a", null, "{\"mine\":1}", a.version() + 1)));
            assertThat(
                    clickHouse.query("SELECT completed_state FROM " + schema + ".state FINAL WHERE state_id = 'dev:a'"))
                    .isEqualTo("{\"mine\":1}");
            // its delete removes rows
            clickHouse.query("DELETE FROM " + schema + ".state WHERE state_id = 'dev:a'");
            assertThat(list(store)).containsExactly("dev:b");
            assertThat(store.read(List.of(new StateId("dev:a"))).rows()).isEmpty();
            store.write(List.of(row("dev:a", null, "{\"again\":1}", a.version() + 2)));
            assertThat(list(store)).containsExactly("dev:a", "dev:b");
            // its clear_all truncates
            clickHouse.query("TRUNCATE TABLE " + schema + ".state");
            assertThat(list(store)).isEmpty();
            store.write(List.of(row("dev:c", null, "{\"c\":1}", 1_000)));
            assertThat(list(store)).containsExactly("dev:c");
        }
    }

    @Test
    void passesOverRowsWhoseIdsAreNone() {
        createAddOnTable();
        clickHouse.query("INSERT INTO " + schema + ".state (state_id, completed_state) VALUES ('', '{\"a\":1}'), ('.',"
                + " '{\"a\":1}'), ('a\\nb', '{\"a\":1}'), ('\\xff', '{\"a\":1}'), (repeat('x', 1025), '{\"a\":1}'),"
                + " ('fine', '{\"a\":1}'), ('bytes', '{\"a\":\"\\xff\"}')");
        try (TestTables tables = tables()) {
            StateStore store = tables.store();
            assertThat(list(store)).containsExactly("bytes", "fine");
            assertThat(store.count(Glob.ALL)).isEqualTo(2);
            assertThat(store.list(Glob.ALL, null, 1).getFirst().readable()).isFalse();
            assertThat(store.read(List.of()).rows()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC"})
    void stampsSurviveAHourThatComesTwice(String zone) {
        clickHouse.query("CREATE DATABASE " + schema);
        clickHouse.query(ADD_ON.formatted(schema + ".state").replace("DateTime64(3)", "DateTime64(3, '" + zone + "')"));
        try (TestTables tables = tables()) {
            StateStore store = tables.store();
            // every half hour around the ends of summer time of 2026 in these zones
            List<StateRow> rows = new ArrayList<>();
            for (long start : new long[]{1_775_310_000_000L, 1_793_000_000_000L, 1_793_511_000_000L}) {
                for (int i = 0; i < 16; i++) {
                    rows.add(row(start + "-" + i, null, "{\"c\":1}", start + i * 1_800_000L + 7));
                }
            }
            store.write(rows);
            assertThat(store.read(rows.stream().map(StateRow::id).toList()).rows().values())
                    .containsExactlyElementsOf(rows);
            long version = 1_793_511_000_000L;
            store.write(List.of(row("x", null, "{\"n\":2}", version + 3_600_000)));
            store.write(List.of(row("x", null, "{\"n\":1}", version)));
            assertThat(store.read(List.of(new StateId("x"))).rows()).containsValue(
                    row("x", null, "{\"n\":2}", version + 3_600_000));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"with space", "quo'te", "quo\"te", "back`tick", "back\\slash", "que?stion", "co:lon",
            "do.t",
            "{brace}", "é\uD83D\uDE00", "-- no comment", "/*", "${table}", "select", "%2F;", "a/b"})
    void namesMayBeNearlyAnything(String name) {
        String odd = schema + name;
        try (TestTables tables = tables(odd, name)) {
            StateStore store = tables.store();
            store.write(List.of(row("a?", "{\"p\":1}", "{\"c\":1}", 1_000)));
            assertThat(list(store)).containsExactly("a?");
            assertThat(store.count(new Glob("a*"))).isEqualTo(1);
            assertThat(store.page(Glob.ALL, null, 10, 1_000))
                    .containsExactly(row("a?", "{\"p\":1}", "{\"c\":1}", 1_000));
            assertThat(clickHouse.query("SELECT count() FROM " + Names.quoted(odd) + "." + Names.quoted(name)))
                    .isEqualTo("1");
        }
    }

    @Test
    void theDatabaseOfTheConnectionsIsMadeWhereTheTablesAreInIt() {
        ClickHouseAddress address = ClickHouseAddress.of(TestTables.properties(clickHouse.uri(schema)));
        try (TestTables tables = TestTables.open(address, schema, "state", Duration.ofSeconds(10))) {
            tables.store().write(List.of(row("a", null, "{\"c\":1}", 1)));
            assertThat(list(tables.store())).containsExactly("a");
        }
    }

    @Test
    void anotherDatabaseOfTheConnectionsHasToBeThere() {
        ClickHouseAddress address = ClickHouseAddress.of(TestTables.properties(clickHouse.uri(schema + "_not")));
        try (TestTables tables = TestTables.open(address, schema, "state", Duration.ofSeconds(10))) {
            assertThatThrownBy(tables::store).isInstanceOf(SettingException.class)
                    .hasMessageContaining("no database")
                    .extracting(e -> ((SettingException) e).action())
                    .asString()
                    .contains("'" + schema + "_not'");
        } catch (org.springframework.dao.DataAccessException e) {
            // the fixture cannot drop what was not made
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "ENGINE = ReplacingMergeTree(updated_at)|ENGINE = MergeTree|the engine MergeTree",
            "ENGINE = ReplacingMergeTree(updated_at)|ENGINE = ReplacingMergeTree|the engine ReplacingMergeTree",
            "ORDER BY state_id|ORDER BY (state_id, updated_at)|ordered by (state_id, updated_at)",
            "state_id String|state_id FixedString(8)|the column state_id of type FixedString(8)",
            "partial_state Nullable(String),||no column partial_state",
            "completed_state Nullable(String)|completed_state String|the column completed_state of type String",
            "DateTime64(3) DEFAULT now64(3)|DateTime64(6) DEFAULT now64(6)|the column updated_at of type DateTime64(6)"})
    void refusesATableThatIsAnother(String part, @Nullable String other, String words) {
        clickHouse.query("CREATE DATABASE " + schema);
        clickHouse.query(
                ADD_ON.formatted(schema + ".state").replace("\n", " ").replace(part, other == null ? "" : other));
        try (TestTables tables = tables()) {
            assertThatThrownBy(tables::store).isInstanceOf(SettingException.class)
                    .hasMessageContaining(schema + ".state")
                    .hasMessageContaining(words);
        }
    }

    @Test
    void refusesAView() {
        createAddOnTable();
        clickHouse.query("CREATE VIEW " + schema + ".v AS SELECT * FROM " + schema + ".state");
        try (TestTables tables = tables(schema, "v")) {
            assertThatThrownBy(tables::store).isInstanceOf(SettingException.class).hasMessageContaining("engine View");
        }
    }

    @Test
    void manyInstancesMayStartAtOnce() throws Exception {
        List<TestTables> instances = new ArrayList<>();
        List<Callable<StateStore>> starts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            TestTables tables = tables();
            instances.add(tables);
            starts.add(tables::store);
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (Future<StateStore> store : threads.invokeAll(starts)) {
                store.get().write(List.of(row("a", null, "{\"c\":1}", 1)));
            }
        } finally {
            instances.forEach(TestTables::close);
        }
    }

    @Test
    void usersNeedTheLeastGrantsAlone() {
        EngineUser user = new EngineUser("state_user", "p", List.of("GRANT SELECT, INSERT ON " + schema + ".state"));
        EngineUser maker = new EngineUser("state_maker", "p", List.of("GRANT SELECT, INSERT, CREATE TABLE ON " + schema
                + ".*", "GRANT CREATE DATABASE ON " + schema + ".*", "GRANT TABLE ENGINE ON ReplacingMergeTree"));
        EngineUser reader = new EngineUser("state_reader", "p", List.of("GRANT SELECT ON " + schema + ".state"));
        EngineUser writer = new EngineUser("state_writer", "p", List.of("GRANT INSERT ON " + schema + ".state"));
        EngineUser nobody = new EngineUser("state_nobody", "p", List.of());
        try (TestClickHouse server = TestClickHouse.withUsers(user, maker, reader, writer, nobody)) {
            for (EngineUser refused : List.of(user, reader, nobody)) {
                assertThatThrownBy(() -> startAs(server, refused)).isInstanceOf(SettingException.class)
                        .hasMessageContaining("denies")
                        .extracting(e -> ((SettingException) e).action())
                        .asString()
                        .contains("CREATE TABLE");
            }
            startAs(server, maker);
            startAs(server, user);
            for (EngineUser refused : List.of(reader, writer, nobody)) {
                assertThatThrownBy(() -> startAs(server, refused)).isInstanceOf(SettingException.class)
                        .hasMessageContaining("denies");
            }
            server.query("DROP DATABASE " + schema + " SYNC");
        }
    }

    private void startAs(TestClickHouse server, EngineUser user) {
        ClickHouseAddress address = new ClickHouseAddress(server.host(), server.port(), "default", user.name(),
                user.password(), server.secure());
        TestTables tables = TestTables.open(address, schema, "state", Duration.ofSeconds(10));
        try {
            StateStore store = tables.store();
            store.write(List.of(row("a", null, "{\"c\":1}", 1)));
            assertThat(list(store)).containsExactly("a");
        } finally {
            tables.pool.close();
        }
    }
}

package dev.statehouse.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.statehouse.embedded.EngineUser;
import java.util.List;

import org.junit.jupiter.api.Test;

class TestClickHouseIT {

    private final TestClickHouse clickHouse = TestClickHouse.shared();

    @Test
    void answersAndIsShared() {
        assertThat(clickHouse.query("SELECT 1, 'a'")).isEqualTo("1\ta");
        assertThat(TestClickHouse.shared()).isSameAs(clickHouse);
        assertThatThrownBy(() -> clickHouse.query("SELECT nothing_like_that")).isInstanceOf(AssertionError.class)
                .hasMessageContaining("nothing_like_that");
    }

    @Test
    void makesAndDropsDatabases() {
        String name = clickHouse.createDatabase();
        assertThat(clickHouse.uri(name)).startsWith("clickhouse://").endsWith("/" + name);
        assertThat(clickHouse.query("SELECT count() FROM system.databases WHERE name = '" + name + "'")).isEqualTo("1");
        clickHouse.dropDatabase(name);
        assertThat(clickHouse.query("SELECT count() FROM system.databases WHERE name = '" + name + "'")).isEqualTo("0");
    }

    @Test
    void moreUsersHaveTheirGrantsAlone() throws Exception {
        EngineUser reader = new EngineUser("reader", "secret", List.of("GRANT SELECT ON default.*"));
        EngineUser nobody = new EngineUser("nobody", "secret", List.of());
        try (TestClickHouse other = TestClickHouse.withUsers(reader, nobody)) {
            other.query(
                    "CREATE OR REPLACE TABLE default.readable (a UInt32) ENGINE = MergeTree ORDER BY a AS SELECT 7");
            assertThat(other.send("reader", "secret", "SELECT a FROM default.readable").body()).isEqualTo("7\n");
            assertThat(other.send("reader", "secret", "INSERT INTO default.readable VALUES (1)").body())
                    .contains("ACCESS_DENIED");
            assertThat(other.send("nobody", "secret", "SELECT a FROM default.readable").body())
                    .contains("ACCESS_DENIED");
            assertThat(other.send("reader", "wrong", "SELECT 1").body()).contains("AUTHENTICATION_FAILED");
            other.query("DROP TABLE default.readable");
        }
    }
}

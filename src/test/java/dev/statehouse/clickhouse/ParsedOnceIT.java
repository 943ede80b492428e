package dev.statehouse.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import com.clickhouse.jdbc.PreparedStatementImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Statements that are used again do not know of it. */
class ParsedOnceIT {

    private static final String ECHO = "SELECT ?, ?";

    private final TestTables tables = TestTables.open();
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = tables.pool.getConnection();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        tables.close();
    }

    private static String echo(PreparedStatement statement, String one, String two) throws SQLException {
        statement.setString(1, one);
        statement.setString(2, two);
        try (ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).isTrue();
            return row.getString(1) + row.getString(2);
        }
    }

    /** @return which of the driver's it was */
    private PreparedStatementImpl echo(String sql, String one, String two) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            assertThat(echo(statement, one, two)).isEqualTo(one + two);
            return statement.unwrap(PreparedStatementImpl.class);
        }
    }

    @Test
    void theSameTextIsParsedOnce() throws SQLException {
        PreparedStatementImpl first = echo(ECHO, "a", "b");
        assertThat(echo(ECHO, "c", "d")).isSameAs(first);
        assertThat(echo(ECHO + " ", "e", "f")).isNotSameAs(first);
    }

    @Test
    void twoAtATimeAreTwo() throws SQLException {
        try (PreparedStatement one = connection.prepareStatement(ECHO);
                PreparedStatement two = connection.prepareStatement(ECHO)) {
            assertThat(one.unwrap(PreparedStatementImpl.class)).isNotSameAs(two.unwrap(PreparedStatementImpl.class));
            one.setString(1, "a");
            two.setString(1, "c");
            assertThat(echo(two, "c", "d")).isEqualTo("cd");
            assertThat(echo(one, "a", "b")).isEqualTo("ab");
        }
    }

    @Test
    void valuesAreOfOneUse() throws SQLException {
        echo(ECHO, "a", "b");
        try (PreparedStatement again = connection.prepareStatement(ECHO)) {
            again.setString(1, "c");
            assertThatThrownBy(again::executeQuery).hasMessageContaining("2");
        }
    }

    @Test
    void whatFailedIsNotKept() throws SQLException {
        PreparedStatementImpl failed;
        try (PreparedStatement statement = connection.prepareStatement("SELECT throwIf(? = 'x', 'no')")) {
            failed = statement.unwrap(PreparedStatementImpl.class);
            statement.setString(1, "x");
            assertThatThrownBy(statement::executeQuery).isInstanceOf(SQLException.class);
        }
        try (PreparedStatement next = connection.prepareStatement("SELECT throwIf(? = 'x', 'no')")) {
            assertThat(next.unwrap(PreparedStatementImpl.class)).isNotSameAs(failed);
        }
    }

    @Test
    void aBatchThatWasGivenUpIsGone() throws SQLException {
        tables.store();
        String insert = "INSERT INTO " + tables.table.sql() + " (state_id) SETTINGS async_insert = 0 VALUES (?)";
        for (String id : new String[]{"given up", "kept"}) {
            try (PreparedStatement statement = connection.prepareStatement(insert)) {
                statement.setString(1, id);
                statement.addBatch();
                if (id.equals("kept")) {
                    statement.executeBatch();
                }
            }
        }
        assertThat(tables.jdbc.queryForList("SELECT state_id FROM " + tables.table.sql(), String.class))
                .containsExactly("kept");
    }

    /** Up to 32 MiB would stay in memory for each connection. */
    @Test
    void whatHeldMuchIsNotKept() throws SQLException {
        PreparedStatementImpl large = echo(ECHO, "a".repeat(70_000), "b");
        assertThat(large.isClosed()).isTrue();
        assertThat(echo(ECHO, "c", "d")).isNotSameAs(large);
    }

    @Test
    void manyTextsPushTheOldestOut() throws SQLException {
        PreparedStatementImpl first = echo(ECHO, "a", "b");
        for (int i = 0; i < 32; i++) {
            echo("SELECT ?, ?, " + i, "a", "b");
        }
        assertThat(first.isClosed()).isTrue();
        assertThat(echo(ECHO, "c", "d")).isNotSameAs(first);
    }

    @Test
    void whatIsClosedIsUsedNoMore() throws SQLException {
        PreparedStatement statement = connection.prepareStatement(ECHO);
        echo(statement, "a", "b");
        statement.close();
        statement.close();
        assertThat(statement.isClosed()).isTrue();
        assertThatThrownBy(() -> statement.setString(1, "c")).isInstanceOf(SQLException.class);
    }
}

package dev.statehouse.clickhouse;

import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Leaves values alone. The driver puts values into the text of a statement and rewrites JDBC escapes afterwards, also
 * inside of what is to be stored: {@code {"q":"{fn now()}"}} would arrive as {@code {"q":"now()"}}. Every statement
 * of the service goes through this template.
 */
final class VerbatimJdbcTemplate extends JdbcTemplate {

    VerbatimJdbcTemplate(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    protected void applyStatementSettings(Statement statement) throws SQLException {
        statement.setEscapeProcessing(false);
        super.applyStatementSettings(statement);
    }
}

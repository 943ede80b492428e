package dev.statehouse.clickhouse;

import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import com.clickhouse.client.api.ClientConfigProperties;
import com.clickhouse.client.api.query.QuerySettings;
import com.clickhouse.jdbc.StatementImpl;
import dev.statehouse.trace.Spans;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Leaves values alone. The driver puts values into the text of a statement and rewrites JDBC escapes afterwards, also
 * inside of what is to be stored: {@code {"q":"{fn now()}"}} would arrive as {@code {"q":"now()"}}. Every statement
 * of the service goes through this template.
 * <p>
 * What is asked for a call that is traced carries its span as {@code log_comment}, which {@code system.query_log} keeps.
 */
final class VerbatimJdbcTemplate extends JdbcTemplate {

    VerbatimJdbcTemplate(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    protected void applyStatementSettings(Statement statement) throws SQLException {
        statement.setEscapeProcessing(false);
        super.applyStatementSettings(statement);
        String span = Spans.traceparent();
        // A statement may have been used for another call before.
        QuerySettings settings = statement.unwrap(StatementImpl.class).getLocalSettings();
        if (span != null) {
            settings.logComment(span);
        } else {
            settings.resetOption(ClientConfigProperties.SETTING_LOG_COMMENT.getKey());
        }
    }
}

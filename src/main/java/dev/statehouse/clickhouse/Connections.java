package dev.statehouse.clickhouse;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * New connections, with a limit to the silence of the server. The driver's {@code socket_timeout} is not enough: it is
 * not what {@link Connection#getNetworkTimeout()} tells, so a pool that changes the limit to check a connection then
 * sets it back to zero, and every later call may wait for ever.
 */
final class Connections extends DriverManagerDataSource {

    private final int limitMillis;

    Connections(String url, Properties driver, Duration limit) {
        super(url, driver);
        limitMillis = Math.toIntExact(limit.toMillis());
    }

    @Override
    protected Connection getConnectionFromDriverManager(String url, Properties driver) throws SQLException {
        Connection connection = super.getConnectionFromDriverManager(url, driver);
        connection.setNetworkTimeout(Runnable::run, limitMillis);
        return ParsedOnce.of(connection);
    }

    /** In seconds; pools also take it for how long to wait for their own threads at the end. */
    @Override
    public int getLoginTimeout() {
        return Math.max(1, limitMillis / 1000);
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // the limit above holds
    }
}

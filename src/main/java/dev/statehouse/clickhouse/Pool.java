package dev.statehouse.clickhouse;

import java.time.Duration;
import java.util.List;
import java.util.Properties;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** The pool of connections to ClickHouse, and what the driver is told for all of them. */
final class Pool {

    /** A thousand ids of the longest kind, each byte of them escaped, have to fit into one SELECT. */
    private static final int MAX_QUERY_BYTES = 16 * 1024 * 1024;

    private static final int NETWORK_BUFFER_BYTES = 16 * 1024;

    /** How long an idle connection may take to show that it is alive. */
    private static final Duration LONGEST_CHECK = Duration.ofSeconds(2);

    private Pool() {}

    static HikariDataSource open(ClickHouseAddress address, ClickHouseProperties properties) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("clickhouse");
        config.setDataSource(connections(address, address.database(), properties.timeout()));
        config.setMaximumPoolSize(properties.poolSize());
        // Callers wait for their turn before the pool, so one that waits here waits for a server that does not answer.
        long check = Math.clamp(properties.timeout().toMillis(), 250, LONGEST_CHECK.toMillis());
        config.setConnectionTimeout(check + 1_000);
        config.setValidationTimeout(check);
        // A connection on which the server fell silent is closed by the driver, later and by another thread.
        config.setExceptionOverride(new SilenceEvicts());
        // The service starts without ClickHouse, and is ready once it answers.
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** Without a pool and in another database, to create the one that the pool opens; null where that is not ours. */
    static @Nullable JdbcTemplate outside(ClickHouseAddress address, TableName table) {
        if (!address.database().equals(table.schema())) {
            return null;
        }
        return new VerbatimJdbcTemplate(connections(address, "system", Duration.ofSeconds(5)));
    }

    private static Connections connections(ClickHouseAddress address, String database, Duration timeout) {
        Properties driver = new Properties();
        driver.setProperty("user", address.user());
        driver.setProperty("password", address.password());
        driver.setProperty("database", database);
        driver.setProperty("ssl", Boolean.toString(address.secure()));
        driver.setProperty("client_name", "statehouse");
        // The driver repeats by itself, INSERTs too: what to repeat is decided by who knows what it means.
        driver.setProperty("retry", "0");
        // Its own query time-out does nothing; without these two a frozen server holds a thread for good.
        driver.setProperty("socket_timeout", Long.toString(timeout.toMillis()));
        driver.setProperty("connection_timeout", Long.toString(timeout.toMillis()));
        driver.setProperty("clickhouse_setting_max_query_size", Integer.toString(MAX_QUERY_BYTES));
        // Half a result without an error would be taken for the whole; a user's profile may ask for that.
        for (String limit : List.of("result", "read", "timeout")) {
            driver.setProperty("clickhouse_setting_" + limit + "_overflow_mode", "throw");
        }
        // Answers are short: a buffer of 300 KB for each, and packing them, take longer than sending them.
        driver.setProperty("client_network_buffer_size", Integer.toString(NETWORK_BUFFER_BYTES));
        driver.setProperty("compress", "false");
        return new Connections(address.jdbcUrl(), driver, timeout);
    }
}

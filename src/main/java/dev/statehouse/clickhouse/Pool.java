package dev.statehouse.clickhouse;

import java.time.Duration;
import java.util.Properties;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The pool of connections to ClickHouse, and what the driver is told for all of them. */
final class Pool {

    /** A thousand ids of the longest kind, each byte of them escaped, have to fit into one SELECT. */
    private static final int MAX_QUERY_BYTES = 16 * 1024 * 1024;

    private Pool() {}

    static HikariDataSource open(ClickHouseAddress address, ClickHouseProperties properties) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("clickhouse");
        config.setJdbcUrl(address.jdbcUrl());
        config.setUsername(address.user());
        config.setPassword(address.password());
        config.setDataSourceProperties(driver(address, address.database(), properties.timeout()));
        config.setMaximumPoolSize(properties.poolSize());
        config.setConnectionTimeout(Math.max(250, properties.timeout().toMillis()));
        config.setValidationTimeout(Math.max(250, Math.min(5_000, properties.timeout().toMillis())));
        // The service starts without ClickHouse, and is ready once it answers.
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** Without a pool and in another database, to create the one that the pool opens; null where that is not ours. */
    static @Nullable JdbcTemplate outside(ClickHouseAddress address, TableName table) {
        if (!address.database().equals(table.schema())) {
            return null;
        }
        Properties driver = driver(address, "system", Duration.ofSeconds(5));
        driver.setProperty("user", address.user());
        driver.setProperty("password", address.password());
        return new VerbatimJdbcTemplate(new DriverManagerDataSource(address.jdbcUrl(), driver));
    }

    private static Properties driver(ClickHouseAddress address, String database, Duration timeout) {
        Properties driver = new Properties();
        driver.setProperty("database", database);
        driver.setProperty("ssl", Boolean.toString(address.secure()));
        driver.setProperty("client_name", "statehouse");
        // The driver repeats by itself, INSERTs too: what to repeat is decided by who knows what it means.
        driver.setProperty("retry", "0");
        // Its own query time-out does nothing; without these two a frozen server holds a thread for good.
        driver.setProperty("socket_timeout", Long.toString(timeout.toMillis()));
        driver.setProperty("connection_timeout", Long.toString(timeout.toMillis()));
        driver.setProperty("clickhouse_setting_max_query_size", Integer.toString(MAX_QUERY_BYTES));
        return driver;
    }
}

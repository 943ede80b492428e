package dev.statehouse.clickhouse;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** The pool of connections to ClickHouse, and what the driver is told for all of them. */
final class Pool {

    /** A thousand ids of the longest kind, each byte of them escaped, have to fit into one SELECT. */
    private static final int MAX_QUERY_BYTES = 16 * 1024 * 1024;

    private Pool() {}

    static HikariDataSource open(ClickHouseAddress address, ClickHouseProperties properties) {
        String millis = Long.toString(properties.timeout().toMillis());
        HikariConfig config = new HikariConfig();
        config.setPoolName("clickhouse");
        config.setJdbcUrl(address.jdbcUrl());
        config.setUsername(address.user());
        config.setPassword(address.password());
        config.addDataSourceProperty("database", address.database());
        config.addDataSourceProperty("ssl", Boolean.toString(address.secure()));
        config.addDataSourceProperty("client_name", "statehouse");
        // The driver repeats by itself, INSERTs too: what to repeat is decided by who knows what it means.
        config.addDataSourceProperty("retry", "0");
        // Its own query time-out does nothing; without these two a frozen server holds a thread for good.
        config.addDataSourceProperty("socket_timeout", millis);
        config.addDataSourceProperty("connection_timeout", millis);
        config.addDataSourceProperty("clickhouse_setting_max_query_size", Integer.toString(MAX_QUERY_BYTES));
        config.setMaximumPoolSize(properties.poolSize());
        config.setConnectionTimeout(Math.max(250, properties.timeout().toMillis()));
        config.setValidationTimeout(Math.max(250, Math.min(5_000, properties.timeout().toMillis())));
        // The service starts without ClickHouse, and is ready once it answers.
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }
}

package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where ClickHouse is, as the operator wrote it; {@link ClickHouseAddress} reads it. The parts are text, so that an
 * error can name the setting, and so that what Kubernetes puts into the environment by itself can be passed over.
 *
 * @param uri {@code clickhouse://user:password@host:8123/database}; null if none is given
 * @param host overrides the URI's host; null keeps it
 * @param port overrides the URI's port; null keeps it
 * @param database overrides the URI's database, which the connection opens; null keeps it
 * @param user overrides the URI's user; null keeps it
 * @param password overrides the URI's password; null keeps it
 * @param secure {@code true} for TLS; null keeps what the URI says
 * @param schema the database that the tables are in; null for {@code meltano}
 * @param table the name of the state table; null for {@code state}
 * @param timeout how long an answer of ClickHouse may stay away, or a connection be waited for
 * @param poolSize how many statements run on ClickHouse at a time
 */
@ConfigurationProperties("statehouse.clickhouse")
record ClickHouseProperties(@Nullable String uri, @Nullable String host, @Nullable String port,
        @Nullable String database, @Nullable String user, @Nullable String password, @Nullable String secure,
        @Nullable String schema, @Nullable String table, @DefaultValue("5s") Duration timeout,
        @DefaultValue("8") int poolSize) {

    ClickHouseProperties {
        uri = given(uri);
        host = given(host);
        port = given(port);
        database = given(database);
        user = given(user);
        password = given(password);
        secure = given(secure);
        schema = given(schema);
        table = given(table);
        if (timeout.toMillis() < 100 || timeout.toMillis() > 600_000) {
            throw new SettingException("statehouse.clickhouse.timeout must be between 100ms and 10m.",
                    "Set it to a few seconds, such as 5s.");
        }
        if (poolSize < 1 || poolSize > 1000) {
            throw new SettingException("statehouse.clickhouse.pool-size must be between 1 and 1000.",
                    "Set it to the number of statements that ClickHouse is to run at a time, such as 8.");
        }
    }

    /** An empty value, as of a variable that is there but blank, counts as none; so does a Kubernetes service link. */
    private static @Nullable String given(@Nullable String value) {
        return value == null || value.isEmpty() || value.startsWith("tcp://") ? null : value;
    }

    /** Whether any part of an address is given; without one the embedded engine runs. */
    boolean namesClickHouse() {
        return uri != null || host != null || port != null || database != null || user != null || password != null
                || secure != null;
    }

    /** Without the URI and the password: this may end in a log. */
    @Override
    public String toString() {
        return "ClickHouseProperties[host=" + host + ", port=" + port + ", database=" + database + ", schema=" + schema
                + ", table=" + table + ", timeout=" + timeout + ", poolSize=" + poolSize + "]";
    }
}

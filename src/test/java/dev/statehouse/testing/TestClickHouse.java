package dev.statehouse.testing;

import dev.statehouse.embedded.EngineUser;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The ClickHouse of the tests: the one that {@code STATEHOUSE_TEST_CLICKHOUSE_URI} names
 * ({@code clickhouse://user:password@host:8123}, {@code ?secure=true} for TLS), else one in Docker, else the embedded
 * engine. {@link PrivateEngine} is for tests that kill it.
 */
public final class TestClickHouse implements AutoCloseable {

    private static @Nullable TestClickHouse shared;

    private final TestServer server;
    private final List<EngineUser> users;
    private final RawHttp http;

    private TestClickHouse(TestServer server, List<EngineUser> users) {
        this.server = server;
        this.users = users;
        this.http = new RawHttp(server.host(), server.port(), server.secure());
    }

    /** One for the whole JVM, started by the first caller and ended with the JVM. Make a database of your own in it. */
    @SuppressWarnings("SystemOut")
    public static synchronized TestClickHouse shared() {
        if (shared == null) {
            TestServer server = TestServer.pick();
            System.out.println("Tests run on " + server.description());
            TestClickHouse started = new TestClickHouse(server, List.of());
            started.query("SELECT 1");
            Runtime.getRuntime().addShutdownHook(new Thread(started::end));
            shared = started;
        }
        return shared;
    }

    /**
     * One where these users exist as well, with their grants alone. Close it. On an embedded engine it is another
     * engine, on a server they are created there: databases made through {@link #shared()} may not be in it.
     */
    public static TestClickHouse withUsers(EngineUser... users) {
        TestClickHouse common = shared();
        List<EngineUser> list = List.of(users);
        if (common.server instanceof TestServer.Embedded) {
            return new TestClickHouse(TestServer.Embedded.start(list), List.of());
        }
        for (EngineUser user : list) {
            common.query("CREATE USER OR REPLACE " + user.name() + " IDENTIFIED BY '" + user.password() + "'");
            user.grants().forEach(grant -> common.query(grant + " TO " + user.name()));
        }
        return new TestClickHouse(common.server, list);
    }

    public String host() {
        return server.host();
    }

    /** The port of the HTTP interface. */
    public int port() {
        return server.port();
    }

    /** A user with every right. */
    public String user() {
        return server.user();
    }

    public String password() {
        return server.password();
    }

    public boolean secure() {
        return server.secure();
    }

    /** As for {@code STATE_BACKEND_URI}: {@code clickhouse://user:password@host:port/database}, percent-encoded. */
    public String uri(String database) {
        return "clickhouse://" + RawHttp.encode(user()) + ":" + RawHttp.encode(password()) + "@" + host() + ":" + port()
                + "/" + RawHttp.encode(database) + (secure() ? "?secure=true" : "");
    }

    /** Runs one statement over bare HTTP; rows as TSV, without the last line break. An error fails the test. */
    public String query(String sql) {
        return http.query(user(), password(), sql);
    }

    /** The same as somebody else ({@code null}: without naming a user); the answer as it came, errors too. */
    public HttpResponse<String> send(@Nullable String user, String password, String sql) throws IOException {
        return http.send(user, password, sql);
    }

    /** A name that no other test has; the database is not made. */
    public String freshName() {
        return "test_" + UUID.randomUUID().toString().replace("-", "");
    }

    /** Makes an empty database under a name that no other test has. */
    public String createDatabase() {
        String name = freshName();
        query("CREATE DATABASE " + name);
        return name;
    }

    public void dropDatabase(String name) {
        query("DROP DATABASE IF EXISTS " + name + " SYNC");
    }

    /** Ends what {@link #withUsers} started; the shared one stays. */
    @Override
    public void close() {
        users.forEach(user -> query("DROP USER IF EXISTS " + user.name()));
        if (this == shared) {
            return;
        }
        http.close();
        if (server instanceof TestServer.Embedded) {
            server.close();
        }
    }

    private void end() {
        http.close();
        server.close();
    }
}

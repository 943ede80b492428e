package dev.statehouse.testing;

import dev.statehouse.embedded.EmbeddedEngine;
import dev.statehouse.embedded.EmbeddedProperties;
import dev.statehouse.embedded.EngineAddress;
import dev.statehouse.embedded.EngineUnavailable;
import dev.statehouse.embedded.EngineUser;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * An embedded engine of one test's own, which it may kill and freeze. It is embedded whatever the other tests run on;
 * where there is no library for it the test fails, and is skipped only if a server was given in its stead.
 */
public final class PrivateEngine implements AutoCloseable {

    private final EmbeddedEngine engine;
    private final RawHttp http;

    private PrivateEngine(EmbeddedEngine engine) {
        this.engine = engine;
        this.http = new RawHttp(engine.address().host(), engine.address().port(), false);
    }

    /** Starts one; the folder may hold the data of an earlier one, and is kept. */
    public static PrivateEngine start(Path folder, EngineUser... users) {
        try {
            return new PrivateEngine(EmbeddedEngine.start(EmbeddedProperties.in(folder), List.of(users)));
        } catch (EngineUnavailable e) {
            if (System.getenv(TestServer.VARIABLE) != null) {
                throw new TestAbortedException("needs an engine that it may kill: " + e.getMessage(), e);
            }
            throw e;
        }
    }

    public EngineAddress address() {
        return engine.address();
    }

    public long pid() {
        return engine.pid();
    }

    /** As {@link TestClickHouse#uri}. */
    public String uri(String database) {
        return "clickhouse://" + address().user() + ":" + address().password() + "@" + address().host() + ":"
                + address().port() + "/" + RawHttp.encode(database);
    }

    /** As {@link TestClickHouse#query}. */
    public String query(String sql) {
        return http.query(address().user(), address().password(), sql);
    }

    /** As {@link TestClickHouse#send}. */
    public HttpResponse<String> send(@Nullable String user, String password, String sql) throws IOException {
        return http.send(user, password, sql);
    }

    /** {@code kill -9}; returns when it is dead. It is started again by itself, see {@link #awaitAnswer()}. */
    public void kill() {
        ProcessHandle.of(pid()).ifPresent(child -> {
            child.destroyForcibly();
            child.onExit().join();
        });
    }

    /** Stops it without ending it: connections stay open and nothing answers, until {@link #thaw()}. */
    public void freeze() {
        Signals.stop(pid());
    }

    public void thaw() {
        Signals.goOn(pid());
    }

    /** Waits up to 30 s until it answers again. */
    public void awaitAnswer() throws InterruptedException {
        long end = System.nanoTime() + 30_000_000_000L;
        while (true) {
            try {
                if (send(address().user(), address().password(), "SELECT 1").statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("the engine does not come back", e);
                }
            }
            Thread.sleep(20);
        }
    }

    /** Ends it in order. */
    @Override
    public void close() {
        http.close();
        engine.close();
    }
}

package dev.statehouse.testing;

import org.jspecify.annotations.Nullable;

/**
 * A service whose way to ClickHouse can be cut: it asks one thing at a time, lets two wait, and gives up soon. One for the whole JVM, for
 * one test at a time: tests that use it hold {@link #LOCK}.
 */
public final class FragileService {

    /** The name of this one for {@code @ResourceLock}. */
    public static final String LOCK = "fragile";

    private static @Nullable FragileService shared;

    private final SwitchedPort way;
    private final RunningService service;

    private FragileService(SwitchedPort way, RunningService service) {
        this.way = way;
        this.service = service;
    }

    /** With its way to ClickHouse restored, and ready. */
    public static synchronized FragileService shared() {
        if (shared == null) {
            TestClickHouse clickHouse = TestClickHouse.shared();
            SwitchedPort way = new SwitchedPort(clickHouse.host(), clickHouse.port(), false);
            String schema = clickHouse.freshName();
            RunningService service = start(way, schema);
            service.closeAtTheEnd();
            shared = new FragileService(way, service);
        }
        shared.way.restore();
        shared.service.awaitReady();
        return shared;
    }

    /** A service of the same kind; close it. */
    public static RunningService start(SwitchedPort way, String schema) {
        TestClickHouse clickHouse = TestClickHouse.shared();
        return RunningService.start(clickHouse.uri("default"), schema, "--statehouse.clickhouse.host=127.0.0.1",
                "--statehouse.clickhouse.port=" + way.port(), "--statehouse.clickhouse.timeout=500ms",
                "--statehouse.clickhouse.pool-size=1", "--statehouse.batch.queue=2");
    }

    public SwitchedPort way() {
        return way;
    }

    public RunningService service() {
        return service;
    }
}

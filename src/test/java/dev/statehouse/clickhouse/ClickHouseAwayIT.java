package dev.statehouse.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import com.zaxxer.hikari.HikariDataSource;
import dev.statehouse.batch.TestBatches;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import dev.statehouse.state.StateRow;
import dev.statehouse.testing.PrivateEngine;
import dev.statehouse.testing.TestClickHouse;
import dev.statehouse.trace.Spans;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** ClickHouse absent, killed, frozen, or losing answers: every call ends within a bounded time, and nothing is lost. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ClickHouseAwayIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final StateId A = new StateId("a");

    private final List<AutoCloseable> toClose = new ArrayList<>();

    private record Service(HikariDataSource pool, SchemaKeeper keeper, ClickHouseStateStore store)
            implements
                AutoCloseable {

        @Override
        public void close() {
            keeper.stop();
            pool.close();
        }
    }

    private Service service(String uri, String schema) {
        ClickHouseAddress address = ClickHouseAddress.of(TestTables.properties(uri));
        TableName table = new TableName(schema, "state");
        HikariDataSource pool = Pool.open(address, TestTables.settings(TIMEOUT));
        VerbatimJdbcTemplate jdbc = new VerbatimJdbcTemplate(pool);
        SchemaKeeper keeper = new SchemaKeeper(new StateSchema(table, null)::apply, jdbc, address);
        Service service = new Service(pool, keeper,
                new ClickHouseStateStore(
                        new ClickHouse(jdbc, keeper, 4, TIMEOUT, new SimpleMeterRegistry(), Spans.NONE),
                        table, TestBatches.PROPERTIES.forReads(TIMEOUT), TestBatches.meters()));
        toClose.add(service);
        keeper.start();
        return service;
    }

    private Service readyService(String uri, String schema) throws InterruptedException {
        Service service = service(uri, schema);
        awaitReady(service);
        return service;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable closeable : toClose.reversed()) {
            closeable.close();
        }
    }

    private static StateRow row(int n) {
        return new StateRow(A, null, "{\"n\":" + n + "}", 1_000 + n);
    }

    private TcpProxy proxy(TestClickHouse server) {
        TcpProxy proxy = new TcpProxy(server.host(), server.port());
        toClose.add(proxy);
        return proxy;
    }

    private static String uri(TestClickHouse server, int port) {
        return server.uri("default").replaceFirst("@[^/]*/", "@127.0.0.1:" + port + "/");
    }

    private static Unavailable refused(Service service) {
        Unavailable problem = catchThrowableOfType(Unavailable.class, () -> service.store().read(List.of(A)));
        assertThat(problem).isNotNull();
        assertThat(problem.code()).isEqualTo(ProblemCode.CLICKHOUSE_UNAVAILABLE);
        assertThat(problem.retryAfter()).isPositive();
        assertThat(problem.detail()).doesNotContain("Exception", "127.0.0.1", "jdbc");
        return problem;
    }

    private static void awaitReady(Service service) throws InterruptedException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (true) {
            try {
                service.store().read(List.of(A));
                return;
            } catch (Unavailable e) {
                assertThat(System.nanoTime()).as("does not recover: " + e.detail()).isLessThan(end);
                Thread.sleep(50);
            }
        }
    }

    @Test
    void startsWithoutClickHouseAndIsReadyOnceItAnswers() throws Exception {
        TestClickHouse server = TestClickHouse.shared();
        TcpProxy gone = new TcpProxy("127.0.0.1", 1);
        int port = gone.port();
        gone.close();
        String schema = server.freshName();
        long begin = System.nanoTime();
        Service service = service(uri(server, port), schema);
        assertThat(refused(service).detail()).contains("does not answer");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
        try (TcpProxy back = new TcpProxy(server.host(), server.port(), port)) {
            assertThat(back.port()).isEqualTo(port);
            awaitReady(service);
            service.store().write(List.of(row(1)));
            assertThat(service.store().read(List.of(A)).rows()).containsValue(row(1));
        } finally {
            server.dropDatabase(schema);
        }
    }

    @Test
    void aFrozenServerIsAnsweredForInBoundedTime() throws Exception {
        TestClickHouse server = TestClickHouse.shared();
        String schema = server.freshName();
        TcpProxy proxy = proxy(server);
        Service service = readyService(uri(server, proxy.port()), schema);
        service.store().write(List.of(row(1)));
        proxy.freeze(true);
        for (int pause : new int[]{0, 700}) {
            Thread.sleep(pause);
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                long begin = System.nanoTime();
                List<Future<Duration>> calls = new ArrayList<>();
                for (int i = 0; i < 12; i++) {
                    calls.add(threads.submit(() -> {
                        assertThatThrownBy(() -> service.store().read(List.of(A))).isInstanceOf(Unavailable.class);
                        return Duration.ofNanos(System.nanoTime() - begin);
                    }));
                }
                for (Future<Duration> call : calls) {
                    assertThat(call.get()).isLessThan(TIMEOUT.multipliedBy(3));
                }
            }
        }
        proxy.freeze(false);
        awaitReady(service);
        assertThat(service.store().read(List.of(A)).rows()).containsValue(row(1));
        server.dropDatabase(schema);
    }

    @Test
    void theDriverDoesNotRepeatAnInsert() throws Exception {
        TestClickHouse server = TestClickHouse.shared();
        String schema = server.freshName();
        TcpProxy proxy = proxy(server);
        Service service = readyService(uri(server, proxy.port()), schema);
        service.store().write(List.of(row(1)));
        server.query("SYSTEM STOP MERGES " + schema + ".state");
        proxy.loseAnswers(true);
        int before = proxy.posts.get();
        assertThatThrownBy(() -> service.store().write(List.of(row(2)))).isInstanceOf(Unavailable.class);
        assertThat(proxy.posts.get() - before).isEqualTo(1);
        proxy.loseAnswers(false);
        // The answer was lost, the row was not: that is why nobody may say "not stored".
        assertThat(server.query("SELECT count() FROM " + schema + ".state")).isEqualTo("2");
        server.dropDatabase(schema);
    }

    @Test
    void connectionsThatTheServerClosedAreNoticed() throws Exception {
        TestClickHouse server = TestClickHouse.shared();
        String schema = server.freshName();
        TcpProxy proxy = proxy(server);
        Service service = readyService(uri(server, proxy.port()), schema);
        for (int i = 0; i < 5; i++) {
            service.store().write(List.of(row(i)));
            proxy.cut();
            // Within half a second of its last use the pool does not look before it lends.
            Thread.sleep(600);
        }
        assertThat(service.store().read(List.of(A)).rows()).containsValue(row(4));
        server.dropDatabase(schema);
    }

    @Test
    void aDroppedTableIsMadeAgain() throws Exception {
        TestClickHouse server = TestClickHouse.shared();
        String schema = server.freshName();
        Service service = readyService(server.uri("default"), schema);
        service.store().write(List.of(row(1)));
        server.query("DROP TABLE " + schema + ".state SYNC");
        assertThat(refused(service).detail()).contains("not there");
        awaitReady(service);
        assertThat(service.store().read(List.of(A)).rows()).isEmpty();
        server.dropDatabase(schema);
    }

    @Test
    void thePoolRecoversFromAKillAndAcknowledgedRowsAreThere(@TempDir Path folder) throws Exception {
        try (PrivateEngine engine = PrivateEngine.start(folder)) {
            Service service = readyService(engine.uri("default"), "meltano");
            for (int round = 0; round < 2; round++) {
                service.store().write(List.of(row(round)));
                engine.kill();
                engine.awaitAnswer();
                awaitReady(service);
                assertThat(service.store().read(List.of(A)).rows()).containsValue(row(round));
            }
            engine.freeze();
            long begin = System.nanoTime();
            refused(service);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TIMEOUT.multipliedBy(3));
            engine.thaw();
            awaitReady(service);
            service.close();
        }
    }
}

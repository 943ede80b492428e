package dev.statehouse.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.statehouse.testing.PrivateEngine;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The life of the child: started, killed, started again, ended. */
@Execution(ExecutionMode.CONCURRENT)
class EmbeddedEngineIT {

    @TempDir
    Path folder;

    @Test
    void isStartedAgainOnTheSamePortAndKeepsItsRowsWhenItIsKilled() throws Exception {
        try (PrivateEngine engine = PrivateEngine.start(folder)) {
            makeTable(engine);
            EngineAddress address = engine.address();
            for (int round = 1; round <= 3; round++) {
                insert(engine, round);
                long before = engine.pid();
                engine.kill();
                engine.awaitAnswer();
                assertThat(engine.pid()).isNotEqualTo(before);
                assertThat(engine.address()).isEqualTo(address);
                assertThat(count(engine)).isEqualTo(round);
            }
        }
    }

    @Test
    void losesNothingThatItAcknowledgedWhileItWasKilledAgainAndAgain() throws Exception {
        try (PrivateEngine engine = PrivateEngine.start(folder)) {
            makeTable(engine);
            AtomicInteger next = new AtomicInteger();
            AtomicBoolean over = new AtomicBoolean();
            Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
            List<Thread> writers = IntStream.range(0, 4).mapToObj(i -> Thread.ofVirtual().start(() -> {
                while (!over.get()) {
                    int value = next.incrementAndGet();
                    try {
                        insert(engine, value);
                        acknowledged.add(value);
                    } catch (UncheckedIOException | AssertionError e) {
                        pause(); // unknown: it may be there or not
                    }
                }
            })).toList();
            for (int round = 0; round < 4; round++) {
                int before = acknowledged.size();
                while (acknowledged.size() < before + 20) {
                    pause();
                }
                engine.kill();
            }
            engine.awaitAnswer();
            over.set(true);
            for (Thread writer : writers) {
                writer.join();
            }
            Set<Integer> stored = engine.query("SELECT a FROM default.t")
                    .lines()
                    .map(Integer::valueOf)
                    .collect(Collectors.toSet());
            assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(80);
            assertThat(stored).containsAll(acknowledged);
        }
    }

    private static void pause() {
        LockSupport.parkNanos(10_000_000);
    }

    @Test
    void keepsItsRowsAcrossAnOrderlyRestartUnderANewPassword() throws Exception {
        EngineAddress first;
        try (PrivateEngine engine = PrivateEngine.start(folder)) {
            makeTable(engine);
            insert(engine, 1);
            first = engine.address();
        }
        try (PrivateEngine engine = PrivateEngine.start(folder)) {
            assertThat(count(engine)).isEqualTo(1);
            assertThat(engine.address().password()).isNotEqualTo(first.password());
            assertThat(engine.send(first.user(), first.password(), "SELECT 1").body())
                    .contains("AUTHENTICATION_FAILED");
        }
    }

    @Test
    void closeLeavesNoProcessAndIsRepeatable() {
        PrivateEngine engine = PrivateEngine.start(folder);
        long pid = engine.pid();
        long begin = System.nanoTime();
        engine.close();
        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(9));
        assertThat(folder.resolve("engine/engine.log")).content().doesNotContain("Exception");
        engine.close();
    }

    @Test
    void closeEndsAlsoAFrozenChild() {
        PrivateEngine engine = PrivateEngine.start(folder);
        long pid = engine.pid();
        engine.freeze();
        engine.close();
        assertThat(ProcessHandle.of(pid)).isEmpty();
    }

    @Test
    void aFrozenChildIsSilentAndGoesOnWhenThawed() throws Exception {
        try (PrivateEngine engine = PrivateEngine.start(folder)) {
            long pid = engine.pid();
            engine.freeze();
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> engine.query("SELECT 42"));
            assertThatThrownBy(() -> answer.get(700, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            engine.thaw();
            assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo("42");
            assertThat(engine.pid()).isEqualTo(pid);
        }
    }

    /** A terminal's Ctrl-C and an init system's SIGTERM go to the child too; it ends with the service, not before. */
    @Test
    void theChildDoesNotEndByTheSignalsThatEndTheService() throws Exception {
        try (PrivateEngine engine = PrivateEngine.start(folder)) {
            long pid = engine.pid();
            for (String signal : List.of("HUP", "INT", "TERM")) {
                assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor()).isZero();
            }
            Thread.sleep(500);
            assertThat(engine.query("SELECT 1")).isEqualTo("1");
            assertThat(engine.pid()).isEqualTo(pid);
        }
    }

    @Test
    void aPortThatIsTakenIsAnErrorAndNotAnEngineThatNobodyReaches() throws Exception {
        Path library = EngineLibrary.find(null);
        try (EngineFolder held = EngineFolder.open(folder);
                ServerSocket taken = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            EngineLaunch launch = EngineLaunch.prepare(held, library, List.of());
            EngineProcess process = launch
                    .again(new EngineAddress(EngineProcess.HOST, taken.getLocalPort(), "statehouse", "secret"));
            assertThatThrownBy(() -> process.awaitAnswer(Duration.ofSeconds(20)))
                    .isInstanceOf(EngineUnavailable.class)
                    .hasMessageContaining("ended with exit code")
                    .hasMessageContaining("Address already in use")
                    .hasMessageContaining("STATE_BACKEND_URI");
        }
    }

    private static void makeTable(PrivateEngine engine) {
        engine.query("CREATE TABLE default.t (a UInt32) ENGINE = MergeTree ORDER BY a");
    }

    private static void insert(PrivateEngine engine, int value) {
        engine.query("INSERT INTO default.t SETTINGS async_insert = 0 VALUES (" + value + ")");
    }

    private static int count(PrivateEngine engine) {
        return Integer.parseInt(engine.query("SELECT count() FROM default.t"));
    }
}

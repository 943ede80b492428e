package dev.statehouse.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.statehouse.testing.PrivateEngine;
import dev.statehouse.testing.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One service to a folder, and no engine without its service, however the service ends. */
@Execution(ExecutionMode.CONCURRENT)
class EngineOwnerIT {

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void theChildEndsWhenTheServiceIsKilled() throws Exception {
        Process service = service();
        ProcessHandle child = childOf(service);
        service.destroyForcibly().waitFor();
        child.onExit().get(15, TimeUnit.SECONDS);
    }

    @Test
    void theChildEndsWhenTheServiceExitsWithoutClosing() throws Exception {
        Process service = service();
        ProcessHandle child = childOf(service);
        service.getOutputStream().close();
        assertThat(service.waitFor()).isZero();
        child.onExit().get(15, TimeUnit.SECONDS);
    }

    @Test
    void theNextServiceWaitsForTheChildOfAKilledOne() throws Exception {
        Process service = service();
        ProcessHandle child = childOf(service);
        Signals.stop(child.pid());
        service.destroyForcibly().waitFor();
        AtomicBoolean thawed = new AtomicBoolean();
        Thread.ofVirtual().start(() -> {
            try {
                Thread.sleep(Duration.ofSeconds(2));
                thawed.set(true);
                Signals.goOn(child.pid());
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        try (PrivateEngine next = PrivateEngine.start(folder)) {
            assertThat(thawed).isTrue();
            assertThat(next.query("SELECT 1")).isEqualTo("1");
        }
        child.onExit().get(15, TimeUnit.SECONDS);
        assertThat(folder.resolve("engine/engine.log")).content().contains("waiting for an earlier engine");
    }

    @Test
    void aFolderInUseByAnotherServiceIsRefusedAndNamed() throws Exception {
        Process service = service();
        ProcessHandle child = childOf(service);
        assertThatThrownBy(() -> EmbeddedEngine.start(EmbeddedProperties.in(folder)))
                .isInstanceOf(EngineUnavailable.class)
                .hasMessageContaining(folder.toRealPath().toString())
                .hasMessageContaining("in use by another service")
                .hasMessageContaining("statehouse.embedded.data");
        assertThat(Files.readString(folder.resolve("engine/service.lock")).strip())
                .isEqualTo(Long.toString(service.pid()));
        assertThat(child.isAlive()).isTrue();
    }

    @Test
    void aFolderInUseByThisProcessIsRefusedTooAndStaysHeld() throws Exception {
        try (PrivateEngine first = PrivateEngine.start(folder)) {
            for (Path same : List.of(folder, folder.resolve("../" + folder.getFileName()))) {
                assertThatThrownBy(() -> EmbeddedEngine.start(EmbeddedProperties.in(same)))
                        .isInstanceOf(EngineUnavailable.class)
                        .hasMessageContaining("in use by another service");
            }
            Process service = service();
            assertThat(service.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(service.exitValue()).isEqualTo(1);
            assertThat(first.query("SELECT 1")).isEqualTo("1");
        }
        PrivateEngine.start(folder).close();
    }

    @Test
    void aFolderThatCannotBeMadeIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> EmbeddedEngine.start(EmbeddedProperties.in(file.resolve("data"))))
                .isInstanceOf(EngineUnavailable.class)
                .hasMessageContaining(file.resolve("data").toString())
                .hasMessageContaining("statehouse.embedded.data")
                .hasMessageContaining("STATE_BACKEND_URI");
    }

    @Test
    void aLibraryThatIsNoneFailsTheStartAndLetsGoOfTheFolder() throws IOException {
        Path library = Files.writeString(folder.resolve("libchdb.so"), "not a library");
        assertThatThrownBy(() -> EmbeddedEngine.start(new EmbeddedProperties(folder.toString(), library.toString())))
                .isInstanceOf(EngineUnavailable.class)
                .hasMessageContaining("ended with exit code")
                .hasMessageContaining("libchdb.so")
                .hasMessageContaining("STATE_BACKEND_URI");
        PrivateEngine.start(folder).close();
    }

    /** ClickHouse waits for running queries before it ends; an orphan must not. */
    @Test
    void theChildOfAKilledServiceEndsAlsoInTheMiddleOfALongQuery() throws Exception {
        Process service = service();
        List<String> child = started(service);
        URI url = URI.create("http://127.0.0.1:" + child.get(2) + "/?user=statehouse&password=" + child.get(3));
        try (HttpClient client = HttpClient.newHttpClient()) {
            var query = client.sendAsync(
                    HttpRequest.newBuilder(url)
                            .POST(HttpRequest.BodyPublishers.ofString("SELECT sleepEachRow(1) FROM numbers(120) "
                                    + "SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 120000000"))
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            assertThatThrownBy(() -> query.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            service.destroyForcibly().waitFor();
            ProcessHandle handle = ProcessHandle.of(Long.parseLong(child.get(1))).orElseThrow();
            handle.onExit().get(25, TimeUnit.SECONDS);
            client.shutdownNow();
        }
    }

    @Test
    void aChildThatStillWaitsForTheFolderEndsWithItsServiceToo() throws Exception {
        Files.createDirectories(folder.resolve("engine"));
        try (FileChannel earlier = FileChannel.open(folder.resolve("engine/engine.lock"), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
            assertThat(earlier.tryLock()).isNotNull();
            Process service = service();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (service.children().findAny().isEmpty() && System.nanoTime() < end) {
                Thread.sleep(20);
            }
            ProcessHandle child = service.children().findAny().orElseThrow();
            Thread.sleep(1_000);
            assertThat(child.isAlive()).isTrue();
            service.destroyForcibly().waitFor();
            child.onExit().get(25, TimeUnit.SECONDS);
        }
    }

    private Process service() throws IOException {
        Process service = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                StandInService.class.getName(), folder.toString()).redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        started.add(service);
        return service;
    }

    private static ProcessHandle childOf(Process service) throws IOException {
        return ProcessHandle.of(Long.parseLong(started(service).get(1))).orElseThrow();
    }

    private static List<String> started(Process service) throws IOException {
        BufferedReader lines = service.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("child ")) {
                return List.of(line.split(" "));
            }
        }
        throw new AssertionError("the service ended");
    }
}

package dev.statehouse.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.testing.Signals;

import org.jspecify.annotations.Nullable;

/** One instance of the service in a process of its own, on a port that it chose itself. */
final class ServiceProcess implements AutoCloseable {

    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
    private static final Duration START_LIMIT = Duration.ofSeconds(90);

    private final Process process;
    private final Path log;
    private final URI base;

    private ServiceProcess(Process process, Path log) throws InterruptedException {
        this.process = process;
        this.log = log;
        this.base = awaitReady();
    }

    /**
     * Returns once it is ready.
     *
     * @param uri as for {@code STATE_BACKEND_URI}
     * @param schema the database of the tables
     * @param environment what else to set
     */
    static ServiceProcess start(String uri, String schema, Map<String, String> environment)
            throws InterruptedException {
        ProcessBuilder builder = Processes.java(false, List.of("-Xmx160m", "--enable-native-access=ALL-UNNAMED"),
                Instance.class, List.of("--server.port=0"));
        builder.environment().put("STATE_BACKEND_URI", uri);
        builder.environment().put("CLICKHOUSE_SCHEMA", schema);
        builder.environment().putAll(environment);
        try {
            Path folder = Files.createDirectories(Path.of("target", "faults"));
            Path log = Files.createTempFile(folder, "service-", ".log");
            Process process = builder.redirectOutput(log.toFile()).start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            return new ServiceProcess(process, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private URI awaitReady() throws InterruptedException {
        long end = System.nanoTime() + START_LIMIT.toNanos();
        while (process.isAlive() && System.nanoTime() < end) {
            URI found = findBase();
            if (found != null && isReady(found)) {
                return found;
            }
            Thread.sleep(50);
        }
        process.destroyForcibly();
        throw new AssertionError("The service does not start; see " + log + "\n" + output());
    }

    private @Nullable URI findBase() {
        Matcher matcher = PORT.matcher(output());
        return matcher.find() ? URI.create("http://127.0.0.1:" + matcher.group(1)) : null;
    }

    /** What it has logged. */
    String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isReady(URI base) throws InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(base.resolve("/actuator/health/readiness"))
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    URI base() {
        return base;
    }

    /** SIGSTOP: all of it stands still where it is, and its connections stay open. */
    void stop() {
        Signals.stop(process.pid());
    }

    void goOn() {
        Signals.goOn(process.pid());
    }

    /** {@code kill -9}; returns when it is dead. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /**
     * SIGTERM; returns when it has ended by itself.
     *
     * @return its exit code
     */
    int terminate() throws InterruptedException {
        process.destroy();
        return process.waitFor();
    }

    @Override
    public void close() {
        kill();
    }
}

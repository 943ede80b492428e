package dev.statehouse.embedded;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of the child process. */
final class EngineProcess {

    static final String HOST = "127.0.0.1";

    private static final Logger LOG = LoggerFactory.getLogger(EngineProcess.class);
    private static final Duration BETWEEN_PROGRESS = Duration.ofSeconds(5);
    private static final int PROBE_MILLIS = 2_000;
    private static final long BETWEEN_PROBES_MILLIS = 25;
    private static final Duration TO_END = Duration.ofSeconds(10);

    /** Below the ranges from which systems take the ports of outgoing connections, so a restart finds it free. */
    private static final int FIRST_PORT = 20_000;
    private static final int LAST_PORT = 32_000;

    private final Process process;
    private final EngineAddress address;
    private final EngineFolder folder;

    private EngineProcess(Process process, EngineAddress address, EngineFolder folder) {
        this.process = process;
        this.address = address;
        this.folder = folder;
    }

    static EngineProcess spawn(EngineLaunch launch, EngineAddress address) throws IOException {
        EngineFolder folder = launch.folder();
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        ProcessBuilder builder = new ProcessBuilder(List.of(java.toString(), "--enable-native-access=ALL-UNNAMED",
                "-Xmx32m", "-Xss8m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xrs",
                "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + folder.data().resolveSibling("engine/crash-%p.log"),
                "-cp", launch.classes().toString(), EngineMain.class.getName(), folder.engineLock().toString(),
                launch.library().toString(), "--config-file", launch.config().toString(), "--path",
                folder.data().toString(),
                "--listen_host", HOST, "--http_port", Integer.toString(address.port()), "--log-level", "warning",
                "--structure", "line String",
                "--input-format", "LineAsString", "--query", "SYSTEM START LISTEN HTTP; SELECT count() FROM table"));
        Map<String, String> environment = builder.environment();
        environment.clear(); // our secrets and JVM options are not the child's
        environment.put("TZ", "UTC");
        builder.directory(folder.data().toFile());
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(folder.output().toFile()));
        return new EngineProcess(builder.start(), address, folder);
    }

    static int freePort() throws IOException {
        IOException last = null;
        for (int attempt = 0; attempt < 50; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), port));
                return port;
            } catch (IOException e) {
                last = e;
            }
        }
        throw new IOException("no free port on " + HOST, last);
    }

    /**
     * Waits until the engine answers.
     *
     * @throws EngineUnavailable
     *             if it ends instead or the time is over; with the end of what it printed
     */
    void awaitAnswer(Duration limit) throws InterruptedException {
        long begin = System.nanoTime();
        long end = begin + limit.toNanos();
        long tell = begin + BETWEEN_PROGRESS.toNanos();
        while (!answers()) {
            if (!process.isAlive()) {
                throw failed("ended with exit code " + process.exitValue());
            }
            if (System.nanoTime() > end) {
                throw failed("did not answer within " + limit.toSeconds() + " s");
            }
            if (System.nanoTime() > tell) {
                LOG.info("Waiting for the embedded engine in {} since {} s: {}", folder,
                        Duration.ofNanos(System.nanoTime() - begin).toSeconds(), folder.outputTail());
                tell += BETWEEN_PROGRESS.toNanos();
            }
            Thread.sleep(BETWEEN_PROBES_MILLIS);
        }
    }

    private EngineUnavailable failed(String how) {
        return new EngineUnavailable("The embedded engine in " + folder + " " + how + ". It printed: "
                + folder.outputTail() + "\n" + EngineUnavailable.INSTEAD);
    }

    private boolean answers() {
        try {
            HttpURLConnection connection = (HttpURLConnection) URI
                    .create("http://" + HOST + ":" + address.port() + "/?query=SELECT%201")
                    .toURL()
                    .openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout(PROBE_MILLIS);
            connection.setReadTimeout(PROBE_MILLIS);
            connection.setRequestProperty("Authorization", "Basic " + Base64.getEncoder()
                    .encodeToString(
                            (address.user() + ":" + address.password()).getBytes(StandardCharsets.UTF_8)));
            connection.setRequestProperty("Connection", "close");
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            return false;
        }
    }

    EngineAddress address() {
        return address;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    int awaitEnd() throws InterruptedException {
        return process.waitFor();
    }

    /** Lets it end in order: its standard input closes; after 10 s it is killed. Returns when it has gone. */
    void end() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(TO_END.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        process.onExit().join();
    }
}

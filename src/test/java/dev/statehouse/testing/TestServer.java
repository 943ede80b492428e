package dev.statehouse.testing;

import dev.statehouse.embedded.EmbeddedEngine;
import dev.statehouse.embedded.EmbeddedProperties;
import dev.statehouse.embedded.EngineAddress;
import dev.statehouse.embedded.EngineUser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.clickhouse.ClickHouseContainer;

/** Where the tests' ClickHouse comes from: the one place that decides. */
sealed interface TestServer extends AutoCloseable {

    String VARIABLE = "STATEHOUSE_TEST_CLICKHOUSE_URI";
    String IMAGE = "clickhouse/clickhouse-server:26.7";

    String host();

    int port();

    String user();

    String password();

    boolean secure();

    /** What was picked, for the log; without the password. */
    String description();

    @Override
    void close();

    /** The given address, else Docker, else the embedded engine. What was asked for and is not there fails. */
    static TestServer pick() {
        String uri = System.getenv(VARIABLE);
        if (uri != null && !uri.isBlank()) {
            return Given.of(URI.create(uri));
        }
        if (DockerClientFactory.instance().isDockerAvailable()) {
            return Docker.start();
        }
        return Embedded.start(List.of());
    }

    record Given(String host, int port, String user, String password, boolean secure) implements TestServer {

        static Given of(URI uri) {
            String[] login = (uri.getRawUserInfo() == null ? "default" : uri.getRawUserInfo()).split(":", 2);
            boolean secure = String.valueOf(uri.getQuery()).contains("secure=true");
            return new Given(uri.getHost(), uri.getPort() < 0 ? secure ? 8443 : 8123 : uri.getPort(), decode(login[0]),
                    login.length > 1 ? decode(login[1]) : "", secure);
        }

        private static String decode(String text) {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        }

        @Override
        public String description() {
            return "the server given by " + VARIABLE + ", " + user + "@" + host + ":" + port;
        }

        @Override
        public void close() {
            // it is not ours
        }
    }

    record Docker(ClickHouseContainer container) implements TestServer {

        static Docker start() {
            ClickHouseContainer container = new ClickHouseContainer(IMAGE)
                    .withEnv("CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT", "1");
            container.start();
            return new Docker(container);
        }

        @Override
        public String host() {
            return container.getHost();
        }

        @Override
        public int port() {
            return container.getMappedPort(8123);
        }

        @Override
        public String user() {
            return container.getUsername();
        }

        @Override
        public String password() {
            return container.getPassword();
        }

        @Override
        public boolean secure() {
            return false;
        }

        @Override
        public String description() {
            return "a Docker container of " + IMAGE;
        }

        @Override
        public void close() {
            container.stop();
        }
    }

    record Embedded(EmbeddedEngine engine, Path folder) implements TestServer {

        static Embedded start(List<EngineUser> users) {
            try {
                Path folder = DataFolder.create();
                return new Embedded(EmbeddedEngine.start(EmbeddedProperties.in(folder), users), folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private EngineAddress address() {
            return engine.address();
        }

        @Override
        public String host() {
            return address().host();
        }

        @Override
        public int port() {
            return address().port();
        }

        @Override
        public String user() {
            return address().user();
        }

        @Override
        public String password() {
            return address().password();
        }

        @Override
        public boolean secure() {
            return false;
        }

        @Override
        public String description() {
            return "the embedded engine, " + address();
        }

        @Override
        public void close() {
            engine.close();
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

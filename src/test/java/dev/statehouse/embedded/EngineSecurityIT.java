package dev.statehouse.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.statehouse.testing.PrivateEngine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What another user of the machine can do through the port: nothing. */
@SuppressWarnings("NullAway.Init")
class EngineSecurityIT {

    private static final String SECRET = "what only the service may read";

    @TempDir
    static Path folder;
    static Path file;
    static PrivateEngine engine;

    @BeforeAll
    static void start() throws IOException {
        file = Files.writeString(folder.resolve("secret.txt"), SECRET);
        engine = PrivateEngine.start(folder.resolve("data"));
        engine.query("CREATE TABLE default.state (state_id String) ENGINE = MergeTree ORDER BY state_id");
        engine.query("INSERT INTO default.state VALUES ('" + SECRET + "')");
    }

    @AfterAll
    static void end() {
        engine.close();
    }

    static Stream<String> doors() {
        return Stream.of("SELECT 1", "SELECT file('" + file + "')",
                "SELECT * FROM file('" + file + "', 'LineAsString', 'l String')",
                "CREATE TABLE default.x (l String) ENGINE = File('LineAsString', '" + file + "')",
                "CREATE TEMPORARY TABLE x (l String) ENGINE = File('LineAsString', '" + file + "')",
                "SELECT * FROM default.state", "SELECT * FROM merge('default', '.*')",
                "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString', 'l String')",
                "SELECT 1 INTO OUTFILE '" + folder.resolve("out.txt") + "'",
                "INSERT INTO FUNCTION file('" + folder.resolve("out.txt") + "', 'CSV') SELECT 1",
                "BACKUP DATABASE default TO File('" + folder.resolve("backup") + "')", "SHOW DATABASES",
                "SELECT * FROM system.processes", "SYSTEM STOP LISTEN HTTP", "SYSTEM SHUTDOWN", "KILL QUERY WHERE 1",
                "CREATE USER other", "GRANT ALL ON *.* TO default");
    }

    @ParameterizedTest
    @MethodSource("doors")
    void isShutWithoutThePassword(String sql) throws Exception {
        for (HttpResponse<String> answer : List.of(engine.send(null, "", sql), engine.send("default", "", sql),
                engine.send("default", "guess", sql), engine.send("statehouse", "", sql),
                engine.send("statehouse", "guess", sql), engine.send("nobody", "", sql))) {
            assertThat(answer.statusCode()).as(answer.body()).isGreaterThanOrEqualTo(400);
            assertThat(answer.body()).doesNotContain(SECRET)
                    .containsAnyOf("AUTHENTICATION_FAILED", "USER_SESSION_LIMIT_EXCEEDED");
        }
        assertThat(folder.resolve("out.txt")).doesNotExist();
        assertThat(folder.resolve("backup")).doesNotExist();
        assertThat(engine.query("SELECT * FROM default.state")).isEqualTo(SECRET);
    }

    /** So that the test above is refused for the right reason: the same statements work with the password. */
    @Test
    void theDoorsAreRealOnes() {
        assertThat(engine.query("SELECT file('" + file + "')")).isEqualTo(SECRET);
        assertThat(engine.query("SELECT * FROM file('" + file + "', 'LineAsString', 'l String')")).isEqualTo(SECRET);
    }

    @Test
    void staysShutAfterARestart() throws Exception {
        engine.kill();
        engine.awaitAnswer();
        isShutWithoutThePassword("SELECT file('" + file + "')");
    }

    @Test
    void listensOnOneLoopbackPortAlone() throws Exception {
        for (InetAddress address : otherAddresses()) {
            assertThat(accepts(new InetSocketAddress(address, engine.address().port()))).as(address.toString())
                    .isFalse();
        }
        Path table = Path.of("/proc/" + engine.pid() + "/net/tcp");
        if (Files.isReadable(table)) {
            assertThat(listening(table)).containsExactly("0100007F:%04X".formatted(engine.address().port()));
        }
    }

    private static List<InetAddress> otherAddresses() throws SocketException {
        List<InetAddress> all = new ArrayList<>();
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.getHostAddress().equals(EngineProcess.HOST))
                .forEach(all::add);
        return all;
    }

    private static boolean accepts(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The listening sockets of the child alone: those whose inode is among its open files. */
    private static List<String> listening(Path table) throws IOException {
        List<String> inodes = new ArrayList<>();
        try (Stream<Path> open = Files.list(Path.of("/proc/" + engine.pid() + "/fd"))) {
            for (Path descriptor : open.toList()) {
                inodes.add(Files.readSymbolicLink(descriptor).toString());
            }
        }
        List<String> found = new ArrayList<>();
        for (Path each : List.of(table, table.resolveSibling("tcp6"))) {
            for (String line : Files.isReadable(each) ? Files.readAllLines(each) : List.<String>of()) {
                List<String> columns = List.of(line.strip().split("\\s+"));
                if (columns.get(3).equals("0A") && inodes.contains("socket:[" + columns.get(9) + "]")) {
                    found.add(columns.get(1));
                }
            }
        }
        return found;
    }

    @Test
    void itsFilesAreItsOwnersAndHoldNoPassword() throws Exception {
        Path data = folder.resolve("data");
        for (String own : List.of("engine", "clickhouse")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve(own))))
                    .isEqualTo("rwx------");
        }
        for (String own : List.of("users.xml", "config.xml")) {
            assertThat(PosixFilePermissions
                    .toString(Files.getPosixFilePermissions(data.resolve("engine").resolve(own))))
                    .isEqualTo("rw-------");
        }
        String password = engine.address().password();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                assertThat(new String(Files.readAllBytes(each), StandardCharsets.ISO_8859_1))
                        .as(each.toString())
                        .doesNotContain(password);
            }
        }
        Path commandLine = Path.of("/proc/" + engine.pid() + "/cmdline");
        if (Files.isReadable(commandLine)) {
            assertThat(commandLine).content().contains("EngineMain").doesNotContain(password);
            assertThat(Path.of("/proc/" + engine.pid() + "/environ")).content().isEqualTo("TZ=UTC\0");
        }
        assertThat(engine.address().toString()).doesNotContain(password);
    }

    @Test
    void itsTimeZoneIsUtcWhateverTheMachinesIs() {
        assertThat(engine.query("SELECT timezone()")).isIn("UTC", "Etc/UTC");
    }
}

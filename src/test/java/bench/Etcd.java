package bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import dev.statehouse.testing.Ports;
import org.springframework.util.FileSystemUtils;

/** One node of etcd, asked through its JSON gateway: the store that locks and small states are kept in elsewhere. */
final class Etcd implements AutoCloseable {

    private final Process process;
    private final Path folder;
    private final String address;

    private Etcd(Process process, Path folder, String address) {
        this.process = process;
        this.folder = folder;
        this.address = address;
    }

    /** @return empty where none is installed */
    static Optional<Etcd> start() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("bench-etcd");
        int clients = Ports.free();
        String address = "http://127.0.0.1:" + clients;
        String peers = "http://127.0.0.1:" + Ports.free();
        Process process;
        try {
            process = new ProcessBuilder(List.of("etcd", "--data-dir", folder.resolve("data").toString(),
                    "--listen-client-urls", address, "--advertise-client-urls", address, "--listen-peer-urls", peers,
                    "--initial-advertise-peer-urls", peers, "--initial-cluster", "default=" + peers))
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
        } catch (IOException notInstalled) {
            FileSystemUtils.deleteRecursively(folder);
            return Optional.empty();
        }
        Etcd etcd = new Etcd(process, folder, address);
        if (!Starts.listensOn(clients, process)) {
            String log = Files.readString(folder.resolve("log"));
            etcd.close();
            throw new IllegalStateException("etcd did not start: " + log);
        }
        return Optional.of(etcd);
    }

    String address() {
        return address;
    }

    static void put(Wire wire, String key, String value) throws IOException {
        wire.send("POST", "/v3/kv/put", "{\"key\":\"" + base64(key) + "\",\"value\":\"" + base64(value) + "\"}")
                .expect(200);
    }

    static void get(Wire wire, String key) throws IOException {
        wire.send("POST", "/v3/kv/range", "{\"key\":\"" + base64(key) + "\"}").expect(200);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        FileSystemUtils.deleteRecursively(folder);
    }
}

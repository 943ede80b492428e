package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.SSLContext;

import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestCertificate;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS as the README has it: real certificates, taken anew when they are renewed, and clients that have to show one. */
class TlsIT {

    private final Path folder;
    private final Path certificate;
    private final Path key;

    TlsIT(@TempDir Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
        this.certificate = folder.resolve("tls.crt");
        this.key = folder.resolve("tls.key");
    }

    private TestCertificate server;

    @BeforeEach
    void issue() throws Exception {
        server = TestCertificate.make(folder, "server");
        server.writeTo(certificate, key);
    }

    private RunningService start(String... more) {
        TestClickHouse clickHouse = TestClickHouse.shared();
        List<String> arguments = new ArrayList<>(List.of("--server.ssl.bundle=web",
                "--spring.ssl.bundle.pem.web.reload-on-update=true",
                "--spring.ssl.bundle.watch.file.quiet-period=100ms",
                "--spring.ssl.bundle.pem.web.keystore.certificate=" + certificate,
                "--spring.ssl.bundle.pem.web.keystore.private-key=" + key));
        arguments.addAll(Arrays.asList(more));
        return RunningService.start(clickHouse.uri("default"), RunningService.shared().table().split("`", -1)[1],
                arguments.toArray(String[]::new));
    }

    private static HttpResponse<String> get(RunningService service, SSLContext tls)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(tls)
                .connectTimeout(Duration.ofSeconds(10))
                .build()) {
            URI uri = URI.create(service.base().replace("http:", "https:") + "/states?limit=1");
            return client.send(HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void aRenewedCertificateIsTakenWithoutARestart() throws Exception {
        try (RunningService service = start()) {
            HttpResponse<String> answer = get(service, server.trustedBy(null));
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Strict-Transport-Security")).isPresent();
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
            assertThat(service.client()
                    .unchecked()
                    .raw("GET /states HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    .status())
                    .as("plain HTTP")
                    .isEqualTo(400);
            TestCertificate renewed = TestCertificate.make(folder, "renewed");
            assertThatThrownBy(() -> get(service, renewed.trustedBy(null))).isInstanceOf(IOException.class);
            renewed.writeTo(certificate, key);
            long end = System.nanoTime() + 30_000_000_000L;
            while (true) {
                try {
                    assertThat(get(service, renewed.trustedBy(null)).statusCode()).isEqualTo(200);
                    break;
                } catch (IOException notYet) {
                    assertThat(System.nanoTime()).as("the new certificate is not taken").isLessThan(end);
                    Thread.sleep(100);
                }
            }
            assertThatThrownBy(() -> get(service, server.trustedBy(null))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void clientsShowACertificateWhereTheyHaveTo() throws Exception {
        TestCertificate client = TestCertificate.make(folder, "client");
        Path trusted = folder.resolve("ca.crt");
        client.writeTo(trusted);
        try (RunningService service = start("--server.ssl.client-auth=need",
                "--spring.ssl.bundle.pem.web.truststore.certificate=" + trusted)) {
            assertThat(get(service, server.trustedBy(client)).statusCode()).isEqualTo(200);
            assertThatThrownBy(() -> get(service, server.trustedBy(null))).isInstanceOf(IOException.class);
            TestCertificate stranger = TestCertificate.make(folder, "stranger");
            assertThatThrownBy(() -> get(service, server.trustedBy(stranger))).isInstanceOf(IOException.class);
        }
    }
}

package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that take their answers by and by. The kernels keep some MB between them and the service, which sees nothing of
 * a client before that is full: so the answers are large, and the least rate too.
 */
class SlowReadersIT {

    private static final int STATES = 3;
    private static final int MEGABYTES = 12;
    private static final int PART = 1024 * 1024;

    private static RunningService service;

    @BeforeAll
    static void start() {
        service = RunningService.start(TestClickHouse.shared().uri("default"), TestClickHouse.shared().freshName(),
                "--statehouse.web.slow-after=1s", "--statehouse.web.min-rate=64MB");
        for (int i = 0; i < STATES; i++) {
            service.client()
                    .put("/states/large" + i, "{\"completed_state\":{\"a\":\"" + "x".repeat(MEGABYTES * PART) + "\"}}")
                    .expect(201);
        }
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    /** Reads a part, waits, and so on; tells how much came in all. */
    private static long read(String path, Duration pause) throws Exception {
        URI base = URI.create(service.base());
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(64 * 1024);
            socket.setSoTimeout(20_000);
            socket.connect(new InetSocketAddress(base.getHost(), base.getPort()));
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            long sum = 0;
            try {
                for (int n = in.readNBytes(PART).length; n > 0; n = in.readNBytes(PART).length) {
                    sum += n;
                    Thread.sleep(pause);
                }
            } catch (IOException reset) {
                return sum;
            }
            return sum;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/export", "/states/large0", "/states?include=documents"})
    void anAnswerIsCutThatIsReadTooSlowly(String path) throws Exception {
        assertThat(read(path, Duration.ofMillis(300))).isGreaterThan(PART).isLessThan(MEGABYTES * PART);
    }

    @Test
    void oneThatIsReadSteadilyComesToItsEnd() throws Exception {
        assertThat(read("/export", Duration.ZERO)).isGreaterThan(STATES * MEGABYTES * PART);
    }
}

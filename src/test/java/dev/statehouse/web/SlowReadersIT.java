package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Clients that take their answers by and by. The kernels keep some MB between them and the service, which sees nothing of
 * a client before that is full: so the answers are large, and the least rate too.
 */
class SlowReadersIT {

    private static final int STATES = 3;
    private static final int MEGABYTES = 15;
    private static final int PART = 1024 * 1024;

    private static RunningService service;

    @BeforeAll
    static void start() {
        service = RunningService.start(TestClickHouse.shared().uri("default"), TestClickHouse.shared().freshName(),
                "--statehouse.web.slow-after=4s", "--statehouse.web.min-rate=64MB");
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

    /** Reads a part, waits, so many times, and then the rest; tells how much came in all. */
    private static long read(String path, int pauses) throws Exception {
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
                for (int part = 0, n = 1; n > 0; part++) {
                    n = in.readNBytes(PART).length;
                    sum += n;
                    Thread.sleep(part < pauses ? 1_500 : 0);
                }
            } catch (IOException reset) {
                return sum;
            }
            return sum;
        }
    }

    @Test
    void anAnswerIsCutThatIsReadTooSlowly() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Map<String, Future<Long>> reads = new HashMap<>();
            for (String path : List.of("/export", "/states/large0", "/states?include=documents")) {
                reads.put(path, threads.submit(() -> read(path, 5)));
            }
            for (Map.Entry<String, Future<Long>> read : reads.entrySet()) {
                assertThat(read.getValue().get()).as(read.getKey()).isGreaterThan(PART).isLessThan(MEGABYTES * PART);
            }
        }
    }

    @Test
    void oneThatIsReadSteadilyComesToItsEnd() throws Exception {
        assertThat(read("/export", 0)).isGreaterThan(STATES * MEGABYTES * PART);
    }
}

package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send a byte now and then, or nothing, keep nothing for long. */
class SlowClientsIT {

    private static final String PUT = "PUT /states/slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

    private static RunningService service;

    @BeforeAll
    static void start() {
        service = RunningService.start(TestClickHouse.shared().uri("default"),
                RunningService.shared().table().split("`", -1)[1], "--statehouse.web.slow-after=1s",
                "--statehouse.web.min-rate=1KB", "--server.tomcat.connection-timeout=1500ms",
                "--server.tomcat.keep-alive-timeout=20s");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static Socket connect() throws IOException {
        URI base = URI.create(service.base());
        Socket socket = new Socket(base.getHost(), base.getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Sends this, and then a part every 100 ms; tells what came back until the connection was closed, and after how long. */
    private static String trickle(Socket socket, String first, String part) throws Exception {
        long start = System.nanoTime();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            send(socket, first);
            Future<String> answer = threads.submit(() -> {
                InputStream in = socket.getInputStream();
                StringBuilder text = new StringBuilder();
                try {
                    for (int c = in.read(); c >= 0; c = in.read()) {
                        text.append((char) c);
                    }
                } catch (IOException reset) {
                    text.append("(reset)");
                }
                return text.toString();
            });
            while (!answer.isDone()) {
                Thread.sleep(100);
                try {
                    send(socket, part);
                } catch (IOException closed) {
                    break;
                }
            }
            String text = answer.get();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as(text).isLessThan(Duration.ofSeconds(8));
            return text;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET", "GET /states HTTP/1.1\r\nHost: x\r\nX: ",
            "GET /states HTTP/1.1\r\nHost: x\r\n\r\nGET /states"})
    void aHeadHasItsTime(String first) throws Exception {
        try (Socket socket = connect()) {
            String answer = trickle(socket, first, "x");
            assertThat(answer.contains("HTTP/1.1 200")).isEqualTo(first.contains("\r\n\r\n"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 100000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n"})
    void aBodyHasItsTime(String rest) throws Exception {
        try (Socket socket = connect()) {
            assertThat(trickle(socket, PUT + rest, rest.startsWith("T") ? "1\r\n \r\n" : " "))
                    .startsWith("HTTP/1.1 408")
                    .contains("request-timeout");
        }
    }

    @Test
    void aBodyThatDoesNotComeIsNotWaitedFor() throws Exception {
        try (Socket socket = connect()) {
            assertThat(trickle(socket, PUT + "Content-Length: 10\r\n\r\n{", "")).startsWith("HTTP/1.1 408");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT /nothing HTTP/1.1\r\nHost: x\r\n", "PUT /states/slow HTTP/1.1\r\nHost: x\r\n",
            "GET /states HTTP/1.1\r\nHost: x\r\n", "PUT /states/%zz HTTP/1.1\r\nHost: x\r\n"})
    void whatIsLeftOfABodyHasItsTimeToo(String head) throws Exception {
        try (Socket socket = connect()) {
            assertThat(trickle(socket, head + "Content-Length: 100000\r\n\r\n{", " "))
                    .matches("(?s)HTTP/1.1 (404|415|200|400).*");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"})
    void aBodyThatNobodyReadsIsNoReasonToEndTheConnection(String rest) throws Exception {
        try (Socket socket = connect()) {
            for (int i = 0; i < 5; i++) {
                send(socket, "PUT /nothing HTTP/1.1\r\nHost: x\r\n" + rest);
                StringBuilder answer = new StringBuilder();
                while (!answer.toString().endsWith("\"}")) {
                    int c = socket.getInputStream().read();
                    assertThat(c).as("%d: %s", i, answer).isNotNegative();
                    answer.append((char) c);
                }
                assertThat(answer.toString()).startsWith("HTTP/1.1 404").doesNotContain("Connection: close");
            }
        }
    }

    @Test
    void aBodyThatComesSteadilyIsTaken() throws Exception {
        String padding = " ".repeat(150);
        try (Socket socket = connect()) {
            send(socket, PUT + "Connection: close\r\nContent-Length: " + (25 + 20 * padding.length()) + "\r\n\r\n");
            for (int i = 0; i < 20; i++) {
                Thread.sleep(100);
                send(socket, padding);
            }
            send(socket, "{\"completed_state\":{\"a\":1}}".substring(0, 25));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 400").contains("not-json");
        }
    }

    @Test
    void aConnectionMayRestBetweenRequests() throws Exception {
        try (Socket socket = connect()) {
            for (int i = 0; i < 2; i++) {
                send(socket, "GET /openapi.yaml HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n");
                byte[] status = socket.getInputStream().readNBytes(12);
                assertThat(new String(status, StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 ");
                Thread.sleep(1_700);
                socket.getInputStream().skipNBytes(socket.getInputStream().available());
            }
        }
    }

    @Test
    void manyOfThemKeepNobodyElseWaiting() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Socket socket = connect();
            sockets.add(socket);
            send(socket, PUT + "Content-Length: 100000\r\n\r\n{");
        }
        long start = System.nanoTime();
        service.client().get("/states?limit=1").expect(200);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        for (Socket socket : sockets) {
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 408");
            socket.close();
        }
    }
}

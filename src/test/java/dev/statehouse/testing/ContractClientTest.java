package dev.statehouse.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests go out as they are written, and answers come in whole or not at all. */
class ContractClientTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nCache-Control: no-cache\r\nContent-Type: application/json\r\n"
            + "Connection: close\r\n";
    private final BlockingQueue<String> received = new ArrayBlockingQueue<>(10);
    private final ServerSocket server;

    ContractClientTest() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    /** A server that answers each connection with this text, whatever is asked. */
    private ContractClient client(String answer) {
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    byte[] bytes = new byte[10_000];
                    int length = socket.getInputStream().read(bytes);
                    received.add(new String(bytes, 0, length, StandardCharsets.UTF_8));
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                    received.add(e.toString());
                }
            }
        });
        return new ContractClient("http://127.0.0.1:" + server.getLocalPort());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void sendsATargetAsItIs() throws InterruptedException {
        ContractClient client = client("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
                .unchecked();
        for (String target : new String[]{"/states/a%2Fb", "/states/a;b", "/states/a%zz", "/states/%2E%2E",
                "/states/a b", "/states/ü", "/states/../x", "/states//x", "/states/a|b?pattern=[a]"}) {
            assertThat(client.get(target).expect(200).text()).isEqualTo("{}");
            assertThat(received.take()).startsWith("GET " + target + " HTTP/1.1\r\n");
        }
        client.with("Lock-Token", "t").put("/states/a", "{\"ü\": 1}", "If-Match", "\"1\"");
        assertThat(received.take()).contains("PUT /states/a ", "Lock-Token: t\r\n", "If-Match: \"1\"\r\n",
                "Content-Type: application/json\r\n");
        assertThat(client.raw("GRAB /x HTTP/1.0\r\n\r\n").method()).isEqualTo("GRAB");
        assertThat(received.take()).isEqualTo("GRAB /x HTTP/1.0\r\n\r\n");
    }

    @Test
    void readsAnswersInChunks() {
        ContractClient client = client(OK + "Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n24\r\n\": "
                + "{\"completed\": {}, \"partial\": {}}}\r\n0\r\n\r\n");
        assertThat(client.raw("GET /export HTTP/1.1\r\nHost: x\r\n\r\n").json().has("a")).isTrue();
        assertThat(client.get("/export").json().has("a")).isTrue();
    }

    @Test
    void anAnswerThatIsCutShortIsNoAnswer() {
        ContractClient client = client(OK + "Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n");
        assertThatThrownBy(() -> client.get("/export")).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> client.raw("GET /export HTTP/1.1\r\nHost: x\r\n\r\n"))
                .isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void everyAnswerIsJudged() {
        ContractClient client = client("HTTP/1.1 418 Teapot\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        assertThatThrownBy(() -> client.get("/states")).isInstanceOf(AssertionError.class)
                .hasMessageContaining("listStates");
        assertThatThrownBy(() -> client.raw("GET /states HTTP/1.1\r\nHost: x\r\n\r\n"))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> client.unchecked().get("/states").expect(200)).isInstanceOf(AssertionError.class);
    }

    @Test
    void encodesAnIdOnce() {
        assertThat(ContractClient.state("a/b%2F;+ ü*~'")).isEqualTo("/states/a%2Fb%252F%3B%2B%20%C3%BC%2A%7E%27");
    }
}

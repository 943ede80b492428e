package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A client that waits for a lock, and closes its plain connection. */
@Isolated
class ClosedConnectionIT {

    private final Fleet fleet = Fleet.shared();
    private final History history = new History();
    private final Client client = new Client("client", () -> fleet.base(0), history);

    @AfterEach
    void close() {
        history.check();
    }

    private Socket waiter(String id) throws IOException {
        URI base = fleet.base(1);
        String body = "{\"owner\":\"closed\",\"ttl_seconds\":60,\"wait_seconds\":60}";
        Socket socket = new Socket(base.getHost(), base.getPort());
        socket.getOutputStream()
                .write(("POST /locks/" + id + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        + "Content-Length: " + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    void itsPlaceIsGone() throws Exception {
        String id = "closed-place-" + System.nanoTime();
        Call lease = client.acquire(id, 60, 0);
        try (Socket waiter = waiter(id)) {
            client.awaitWaiting(id, 1);
            Thread.sleep(3_000);
        }
        long closed = System.nanoTime();
        client.awaitWaiting(id, 0);
        Duration took = Duration.ofNanos(System.nanoTime() - closed);
        Runs.say("a waiter closed its connection: its place was gone after " + took.toMillis() + " ms");
        assertThat(took).isLessThan(Duration.ofSeconds(8));
        client.release(id, lease.given());
    }

    @Test
    void whatItIsGrantedAllTheSameIsShort() throws Exception {
        String id = "closed-granted-" + System.nanoTime();
        Call lease = client.acquire(id, 60, 0);
        try (Socket waiter = waiter(id)) {
            client.awaitWaiting(id, 1);
        }
        client.release(id, lease.given());
        Call next = client.acquire(id, 5, 30);
        Duration took = Duration.ofNanos(next.end() - next.start());
        Runs.say("a waiter closed its connection, then was granted the lock: the next came in after " + took.toMillis()
                + " ms");
        assertThat(next.result()).isEqualTo(Call.Result.OK);
        assertThat(took).isLessThan(Duration.ofSeconds(6 + 2));
        client.release(id, next.given());
    }
}

package dev.statehouse.state;

import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.FragileService;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Many states at once, out and in. */
class StateTransferIT {

    private final RunningService service = RunningService.shared();
    private final ContractClient http = service.client();
    private final String prefix = RunningService.freshPrefix();

    @Test
    void thousandsGoInAndComeOutTheSame() {
        StringBuilder body = new StringBuilder("{");
        for (int i = 0; i < 3000; i++) {
            body.append(i == 0 ? "\n" : ",\n")
                    .append("\"%s:%04d/\u00e9\\\"\\\\\":{\"completed\":%s,\"partial\":%s}".formatted(prefix, i,
                            i % 3 == 0 ? "{}" : "{\"n\":" + i + ".10}",
                            i % 3 == 1 ? "{}" : "{\"s\":\"\\u0000 {fn now()}\"}"));
        }
        String text = body.append("\n}").toString();
        assertThat(http.post("/import", text).expect(200).json().path("imported").asInt()).isEqualTo(3000);
        assertThat(http.get("/export?pattern=" + prefix + "*").expect(200).text()).isEqualTo(text);
        assertThat(http.post("/import", text).expect(200).json().path("imported").asInt()).isEqualTo(3000);
        assertThat(http.delete("/states?pattern=" + prefix + "*").expect(200).json().path("deleted").asInt())
                .isEqualTo(3000);
        assertThat(http.get("/export?pattern=" + prefix + "*").expect(200).text()).isEqualTo("{}");
    }

    @Test
    void anEntryWithNeitherHalfClearsIfThatIsMeant() {
        http.put(state(prefix), "{\"completed_state\": {\"v\": 1}}").expect(201);
        String body = "{\"%s\": {\"completed\": {}, \"partial\": null}}".formatted(prefix);
        http.post("/import", body).expect(422, "invalid-import");
        http.post("/import?allow_empty=true", body).expect(200);
        http.get(state(prefix)).expect(404);
        http.post("/import", "{}").expect(200);
        http.post("/import?validate=singer", "{\"%s\": {\"completed\": {\"singer_state\": {}}}}".formatted(prefix))
                .expect(200);
    }

    private void twelveMebibytes(ContractClient on) {
        String large = "{\"completed_state\": {\"v\": \"%s\"}}".formatted("x".repeat(4 * 1024 * 1024 - 100));
        for (String tail : new String[]{"1", "2", "3"}) {
            on.put(state(prefix + tail), large).expect(201);
        }
    }

    /** Runs something once the answer has begun, while more of it waits to be sent; then reads what comes to the end. */
    private String cutShort(RunningService on, Runnable meanwhile) throws IOException {
        URI base = URI.create(on.base());
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(64 * 1024);
            socket.setSoTimeout(30_000);
            socket.connect(new InetSocketAddress(base.getHost(), base.getPort()));
            socket.getOutputStream()
                    .write("GET /export?pattern=%s* HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".formatted(prefix)
                            .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            byte[] start = in.readNBytes(1024);
            assertThat(new String(start, StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 200").contains("chunked");
            meanwhile.run();
            byte[] all;
            try {
                all = in.readAllBytes();
            } catch (IOException reset) {
                return "reset";
            }
            return new String(Arrays.copyOfRange(all, Math.max(0, all.length - 20), all.length),
                    StandardCharsets.US_ASCII);
        }
    }

    @Test
    void anExportThatIsWholeEndsCleanly() throws IOException {
        twelveMebibytes(http);
        assertThat(cutShort(service, () -> {})).endsWith("}\r\n0\r\n\r\n");
        http.delete("/states?pattern=" + prefix + "*").expect(200);
    }

    @Test
    void anExportThatMeetsWhatCannotBeReadIsCut() throws IOException {
        twelveMebibytes(http);
        assertThat(cutShort(service, () -> service.insert(prefix + "4", null, "NaN"))).doesNotEndWith("0\r\n\r\n");
        http.delete("/states?pattern=" + prefix + "*").expect(200);
    }

    @Test
    @ResourceLock(FragileService.LOCK)
    void anExportWhoseClickHouseGoesAwayIsCut() throws IOException {
        FragileService fragile = FragileService.shared();
        twelveMebibytes(fragile.service().client());
        assertThat(cutShort(fragile.service(), () -> fragile.way().cut())).doesNotEndWith("0\r\n\r\n");
        FragileService.shared().service().client().delete("/states?pattern=" + prefix + "*").expect(200);
    }
}

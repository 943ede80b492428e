package dev.statehouse.state;

import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** JSON goes in and out without loss, up to the limits, and what is none is refused. */
@Execution(ExecutionMode.CONCURRENT)
class StateJsonIT {

    private static final int MIB = 1024 * 1024;

    private final RunningService service = RunningService.shared();
    private final ContractClient http = service.client();
    private final String id = RunningService.freshPrefix();

    static Stream<String> documents() {
        return Stream.of(
                "{\"n\":[9007199254740993,1.10,1E400,-0.0,1e-400,0,-0,1E+2,123456789012345678901234567890.5]}",
                "{\"z\":1,\"a\":2,\"10\":3,\"9\":4,\"\":5}",
                "{\"e\":\"\\u0000\\u001f\\/\\b\\f\\n\\r\\t\\\\\\\"\\u00e9\\uD83D\\uDE80\"}",
                "{\"half\":\"\\ud83d\",\"low\":\"\\ude80 \\ude80\\ud83d\",\"\\ud83d\":1}",
                "{\"u\":\"\u00e9 e\u0301 \ud83d\ude80 \u2028 \ufeff \uffff \ufffd\",\"\ud83d\ude80\":{}}",
                "{\"q\":\"{fn now()}\",\"d\":\"{d '2026-01-01'} {ts '2026-01-01 00:00:00'} {escape 'x'} {oj a} {call b}\"}",
                "{\"sql\":\"? :name ?? $1 {p:String} \\\\N \\\\0 ' '' \\\\' ` -- /* */ ; %s %% %n \\\\\\\\\"}",
                "{\"null\":null,\"t\":true,\"f\":false,\"o\":{},\"a\":[],\"aa\":[[],[{}],null]}",
                "{\"deep\":" + "[".repeat(490) + "]".repeat(490) + "}",
                "{\"digits\":" + "7".repeat(1000) + "}", "{\"" + "k".repeat(50_000) + "\":1}");
    }

    @ParameterizedTest
    @MethodSource("documents")
    void comesBackToTheLetter(String document) {
        http.put(state(id), "{\"completed_state\":" + document + "}").expect(201);
        assertThat(http.get(state(id) + "?view=merged").expect(200).text()).isEqualTo(document);
        http.patch(state(id), "{\"partial_state\":" + document + "}").expect(200);
        assertThat(http.get(state(id)).expect(200).text())
                .contains("\"completed_state\":" + document + ",\"partial_state\":" + document);
        assertThat(http.get("/export?pattern=" + id).expect(200).text())
                .isEqualTo("{\n\"" + id + "\":{\"completed\":" + document + ",\"partial\":" + document + "}\n}");
        assertThat(service.stored(id)).isEqualTo(document + "|" + document);
    }

    @Test
    void whiteSpaceAloneChanges() {
        http.put(state(id), " {\r\n\t\"partial_state\" : { \"a b\" : [ 1 , \" x  y \" ] } }\n").expect(201);
        assertThat(http.get(state(id) + "?view=merged").expect(200).text()).isEqualTo("{\"a b\":[1,\" x  y \"]}");
    }

    private static String ofSize(int bytes) {
        return "{\"a\":\"" + "x".repeat(bytes - 8) + "\"}";
    }

    @Test
    void sixteenMebibytesAndNotOneByteMore() {
        String largest = ofSize(16 * MIB);
        http.put(state(id), "{\"completed_state\":" + largest + "}").expect(201);
        assertThat(http.get(state(id) + "?view=merged").expect(200).text().equals(largest)).isTrue();
        assertThat(http.put(state(id), "{\"completed_state\":" + ofSize(16 * MIB + 1) + "}")
                .expect(413, "too-large")
                .text()).contains("statehouse.state.max-size");
        http.put(state(id), "{\"completed_state\":%s,\"partial_state\":%s}".formatted(ofSize(8 * MIB),
                ofSize(8 * MIB + 1))).expect(413, "too-large");
        http.patch(state(id), "{\"partial_state\":{\"b\":1}}").expect(413, "too-large");
        assertThat(http.get("/states?pattern=" + id).json().path("states").path(0).path("size_bytes").asInt())
                .isEqualTo(16 * MIB);
        http.delete(state(id)).expect(204);
    }

    @Test
    void aBodyOverTheLimitIsRefusedBeforeItIsRead() {
        assertThat(http.raw(
                "PUT %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{"
                        .formatted(state(id), 64 * MIB + 1))
                .expect(413, "too-large")
                .text())
                .contains("statehouse.web.max-body-size");
        http.raw(
                "POST /import HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{")
                .expect(413, "too-large");
    }

    @Test
    void aBodyThatDoesNotSayItsLengthEndsAtTheLimit() {
        byte[] head = "PUT %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n"
                .formatted(state(id), 64 * MIB + 10)
                .getBytes(StandardCharsets.US_ASCII);
        byte[] request = new byte[head.length + 64 * MIB + 10 + 7];
        java.util.Arrays.fill(request, (byte) ' ');
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy("\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII), 0, request, request.length - 7, 7);
        http.raw(request).expect(413, "too-large");
        http.get(state(id)).expect(404);
    }

    static Stream<String> limits() {
        return Stream.of("{\"a\":" + "[".repeat(501) + "]".repeat(501) + "}",
                "{\"a\":" + "{\"a\":".repeat(5_000) + "1" + "}".repeat(5_000) + "}",
                "{\"a\":" + "7".repeat(1001) + "}", "{\"" + "k".repeat(50_001) + "\":1}");
    }

    @ParameterizedTest
    @MethodSource("limits")
    void beyondTheLimits(String document) {
        http.put(state(id), "{\"completed_state\":" + document + "}").expect(422, "json-limit");
        http.get(state(id)).expect(404);
    }
}

package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP that is wrong, odd or hostile is answered by a problem, never by a page of HTML. */
@Execution(ExecutionMode.CONCURRENT)
class HttpExactnessIT {

    private static final String END = "\r\nHost: x\r\nConnection: close\r\n\r\n";

    private final ContractClient http = RunningService.shared().client();

    private static Arguments raw(String request, int status, String code) {
        return Arguments.of(request, status, code);
    }

    static Stream<Arguments> requests() {
        String many = "a".repeat(20_000);
        return Stream.of(
                raw("GET /states HTTP/2.0" + END, 400, "bad-request"),
                raw("GET /states HTTP/9.9" + END, 400, "bad-request"),
                raw("GET /states HTP/1.1" + END, 400, "bad-request"),
                raw("GET /states/a b HTTP/1.1" + END, 400, "bad-request"),
                raw("GET /states/a\u0001b HTTP/1.1" + END, 400, "bad-request"),
                raw("GET /states/a\tb HTTP/1.1" + END, 400, "bad-request"),
                raw("GET /states#part HTTP/1.1" + END, 400, "bad-request"),
                raw("GET states HTTP/1.1" + END, 400, "bad-request"),
                raw("GET * HTTP/1.1" + END, 400, "bad-request"),
                raw("GET ../states HTTP/1.1" + END, 400, "bad-request"),
                raw("GE(T /states HTTP/1.1" + END, 400, "bad-request"),
                raw("GET /states HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "bad-request"),
                raw("GET /states HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n", 400, "bad-request"),
                raw("GET /states HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", 400, "bad-request"),
                raw("GET /states HTTP/1.1\r\nHost: x:y:z\r\nConnection: close\r\n\r\n", 400, "bad-request"),
                raw("GET /states HTTP/1.1\r\nHost: x\r\nConnection: close\r\nBad Name: 1\r\n\r\n", 400, "bad-request"),
                raw("GET /states HTTP/1.1\r\nHost: x\r\nConnection: close\r\nno colon\r\n\r\n", 400, "bad-request"),
                raw("GET /states HTTP/1.1\r\nHost: x\r\nConnection: close\r\nName: a\u0000b\r\n\r\n", 400,
                        "bad-request"),
                raw("PUT /states/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: x\r\n\r\n", 400,
                        "bad-request"),
                raw("PUT /states/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: -1\r\n\r\n", 400,
                        "bad-request"),
                raw("PUT /states/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
                        400, "bad-request"),
                raw("PUT /states/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: gzip\r\n\r\n{}", 400,
                        "bad-request"),
                raw("PUT /states/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", 400, "bad-request"),
                raw("GET /" + many + " HTTP/1.1" + END, 431, "headers-too-large"),
                raw("GET /states?pattern=" + many + " HTTP/1.1" + END, 431, "headers-too-large"),
                raw("GET /states HTTP/1.1\r\nX: " + many + END, 431, "headers-too-large"),
                raw("GET /states HTTP/1.1\r\n" + "X: y\r\n".repeat(200) + "Host: x\r\nConnection: close\r\n\r\n", 431,
                        "headers-too-large"),
                raw("GET http://x/nothing HTTP/1.1" + END, 404, "not-found"),
                raw("GET http://x/states/%zz HTTP/1.1" + END, 400, "invalid-path"),
                raw("GET //states HTTP/1.1" + END, 404, "not-found"),
                raw("GET /?x=1 HTTP/1.1" + END, 400, "unknown-parameter"),
                raw("POST / HTTP/1.1\r\nContent-Length: 0" + END, 405, "method-not-allowed"),
                raw("GET /../states HTTP/1.1" + END, 404, "not-found"),
                raw("GET /./states HTTP/1.1" + END, 404, "not-found"),
                raw("GET /states\\ HTTP/1.1" + END, 404, "not-found"),
                raw("GET /%00 HTTP/1.1" + END, 404, "not-found"),
                raw("GET /error HTTP/1.1" + END, 404, "not-found"),
                raw("GET /favicon.ico HTTP/1.1" + END, 404, "not-found"),
                raw("GET /WEB-INF/web.xml HTTP/1.1" + END, 404, "not-found"),
                raw("GET /application.yaml HTTP/1.1" + END, 404, "not-found"),
                raw("GET /swagger-ui/nothing.js HTTP/1.1" + END, 404, "not-found"),
                raw("GET /swagger-ui/..%2F..%2Fapplication.yaml HTTP/1.1" + END, 404, "not-found"),
                raw("GET /v3/api-docs HTTP/1.1" + END, 404, "not-found"),
                raw("GET /nothing HTTP/1.1\r\nAccept: text/html" + END, 404, "not-found"),
                raw("GET /states HTTP/1.1\r\nAccept: text/html" + END, 406, "not-acceptable"),
                raw("TRACE /states HTTP/1.1" + END, 405, "method-not-allowed"),
                raw("TRACE /nothing HTTP/1.1" + END, 405, "method-not-allowed"),
                raw("CONNECT /states HTTP/1.1" + END, 400, "bad-request"),
                raw("GET http://other.example/states HTTP/1.1" + END, 400, "bad-request"),
                raw("CONNECT x:80 HTTP/1.1" + END, 400, "bad-request"),
                raw("GRAB /states HTTP/1.1" + END, 405, "method-not-allowed"),
                raw("GRAB /states/a HTTP/1.1" + END, 405, "method-not-allowed"),
                raw("PROPFIND /openapi.yaml HTTP/1.1" + END, 405, "method-not-allowed"),
                raw("get /states HTTP/1.1" + END, 405, "method-not-allowed"),
                raw("GRAB /nothing HTTP/1.1" + END, 404, "not-found"),
                raw("POST /swagger-ui.html HTTP/1.1\r\nContent-Length: 0" + END, 405, "method-not-allowed"),
                raw("POST /openapi.yaml HTTP/1.1\r\nContent-Length: 0" + END, 405, "method-not-allowed"),
                raw("POST /nothing HTTP/1.1\r\nContent-Length: 2\r\nContent-Type: multipart/form-data" + END + "{}",
                        404,
                        "not-found"),
                raw("POST /nothing HTTP/1.1\r\nContent-Length: 2\r\nContent-Type: application/x-www-form-urlencoded"
                        + END
                        + "%z", 404, "not-found"));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void isAnsweredByAProblem(String request, int status, String code) {
        Answer answer = http.raw(request).expect(status, code);
        assertThat(answer.mediaType()).isEqualTo("application/problem+json");
        assertThat(answer.text()).doesNotContain("<", "Tomcat", "org.apache", "java.", "at dev.");
        assertThat(answer.header("Server")).isNull();
        if (status == 405) {
            assertThat(answer.header("Allow")).isNotBlank().doesNotContain("GRAB", "TRACE");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /nothing\r\n\r\n", "GET\r\n\r\n", "GARBAGE\r\n\r\n",
            "\u0016\u0003\u0001\u0002 \r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "<html>\r\n\r\n"})
    void whatHasNoVersionOfHttpGetsNoHtmlEither(String request) throws IOException {
        URI base = URI.create(RunningService.shared().base());
        try (Socket socket = new Socket(base.getHost(), base.getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).doesNotContain("<", "html");
            assertThat(answer.isEmpty() || answer.contains("{\"")).as(answer).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"/states|DELETE,GET,HEAD,OPTIONS",
            "/states/a|DELETE,GET,HEAD,OPTIONS,PATCH,PUT",
            "/states/a/copy|OPTIONS,POST", "/import|OPTIONS,POST", "/export|GET,HEAD,OPTIONS",
            "/locks|GET,HEAD,OPTIONS",
            "/locks/a|DELETE,GET,HEAD,OPTIONS,POST,PUT", "/openapi.yaml|GET,HEAD,OPTIONS"})
    void optionsSaysWhatAPageTakes(String target, String methods) {
        Answer answer = http.send("OPTIONS", target, null).expect(200);
        assertThat(Stream.of(String.valueOf(answer.header("Allow")).split(",")).map(String::strip).sorted().toList())
                .isEqualTo(List.of(methods.split(",")));
    }

    @Test
    void optionsOfTheWholeServiceAndOfNothing() {
        http.raw("OPTIONS * HTTP/1.1" + END).expect(200);
        http.send("OPTIONS", "/nothing", null).expect(404, "not-found");
        http.send("OPTIONS", "/states/%zz", null).expect(400, "invalid-path");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /states/a", "PUT /states/a", "DELETE /nothing", "GET /states/%zz"})
    void everyAnswerHasANameOfItsOwn(String call) {
        String[] parts = call.split(" ", 2);
        byte[] body = parts[0].equals("PUT") ? "{".getBytes(StandardCharsets.UTF_8) : null;
        Answer answer = http.send(parts[0], parts[1], body, "X-Request-Id", "my/id-1");
        assertThat(answer.header("X-Request-Id")).isEqualTo("my/id-1");
        assertThat(answer.json().path("request_id").asString()).isEqualTo("my/id-1");
        Answer other = http.send(parts[0], parts[1], body, "X-Request-Id", "<script> ");
        assertThat(other.header("X-Request-Id")).isNotEqualTo("<script>").hasSize(36);
        assertThat(http.send(parts[0], parts[1], body).header("X-Request-Id")).hasSize(36);
    }
}

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Runs the service once, so that the JVM can write down what it loads and compiles: {@code java image/Training.java
 * DATA_FOLDER COMMAND …}. The command starts the service, which is told a free port and the folder for its embedded engine.
 * Callers have tokens, as nearly everywhere. It ends well only if every call of the round trip was answered as it should be, so a service that does not work is
 * never packed.
 */
final class Training {

    /** Enough for the calls to be compiled, and for the profile to be that of a service at work. */
    private static final int ROUNDS = 60;
    private static final long START_SECONDS = 120;
    private static final long END_SECONDS = 180;

    private static final String TOKEN = "training-" + UUID.randomUUID();
    private static final String TOKENS = """
            tokens:
              - {name: training, token: %s, operator: ["*"]}
            """;

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String service;

    private Training(String service) {
        this.service = service;
    }

    public static void main(String[] args) throws Exception {
        int port = freePort();
        List<String> command = new ArrayList<>(List.of(args).subList(1, args.length));
        Path tokens = Files.writeString(Path.of(args[0]).resolveSibling("tokens.yaml"), TOKENS.formatted(TOKEN));
        command.addAll(List.of("--server.address=127.0.0.1", "--server.port=" + port,
                "--statehouse.embedded.data=" + args[0], "--statehouse.auth.tokens.files=" + tokens));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(Training::isSetting);
        Path output = Path.of(args[0]).resolveSibling("training.log");
        Process process = builder.redirectOutput(output.toFile()).start();
        boolean done = false;
        try {
            Training training = new Training("http://127.0.0.1:" + port);
            training.awaitReady(process);
            for (int round = 0; round < ROUNDS; round++) {
                training.round("training/" + round % 5);
            }
            training.pages();
            process.destroy(); // SIGTERM: an orderly end, at which the JVM writes what it has learnt
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The service did not end");
            }
            done = true;
        } finally {
            process.destroyForcibly().waitFor();
            if (!done) {
                System.err.print(Files.readString(output));
            }
        }
    }

    /** What is set where the image is built must not change what is trained. */
    private static boolean isSetting(String variable) {
        return variable.matches("(STATEHOUSE|CLICKHOUSE|SPRING|SERVER|MANAGEMENT|LOGGING|OTEL)_.*|(MELTANO_)?STATE_BACKEND_URI"
                + "|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitReady(Process process) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            if (!process.isAlive() || System.nanoTime() > end) {
                throw new IllegalStateException("The service does not get ready");
            }
            try {
                if (send("GET", "/actuator/health/readiness", null).statusCode() == 200) {
                    return;
                }
            } catch (IOException notYet) {
                // asked again
            }
            Thread.sleep(50);
        }
    }

    /** What a pipeline does, and some mistakes. */
    private void round(String id) throws IOException, InterruptedException {
        String name = id.replace("/", "%2F");
        String state = "/states/" + name;
        String bookmarks = "{\"singer_state\":{\"bookmarks\":{\"issues\":{\"since\":\"2026-11-01T00:00:00Z\",\"n\":1.10}}}}";
        String lock = UUID.randomUUID().toString();
        expect(2, send("PUT", state, "{\"completed_state\":" + bookmarks + "}"));
        expect(2, send("POST", "/locks/" + name, "{\"owner\":\"training\",\"lock_id\":\"" + lock + "\"}"));
        expect(423, send("PATCH", state, "{\"partial_state\":" + bookmarks + "}"));
        expect(2, send("PATCH", state, "{\"partial_state\":" + bookmarks + "}", "Lock-Token", lock));
        expect(2, send("PUT", "/locks/" + name, "{\"ttl_seconds\":60}", "Lock-Token", lock));
        expect(2, send("GET", "/locks/" + name, null));
        expect(2, send("DELETE", "/locks/" + name, null, "Lock-Token", lock));
        HttpResponse<String> read = send("GET", state, null);
        expect(2, read);
        expect(2, send("PATCH", state, "{\"partial_state\":" + bookmarks + "}", "If-Match",
                read.headers().firstValue("ETag").orElseThrow()));
        expect(412, send("PATCH", state, "{\"partial_state\":" + bookmarks + "}", "If-Match", "\"1\""));
        expect(2, send("GET", state + "?view=merged", null));
        expect(404, send("GET", "/states/nobody", null));
        expect(401, send("GET", state, null, "Authorization", "Bearer nobody's"));
    }

    /** What is asked less often. */
    private void pages() throws IOException, InterruptedException {
        for (int i = 0; i < 10; i++) {
            expect(2, send("GET", "/states?pattern=training*&limit=10&include=documents", null));
            expect(2, send("GET", "/locks?pattern=*", null));
            HttpResponse<String> export = send("GET", "/export?pattern=*", null);
            expect(2, export);
            expect(2, send("POST", "/import", export.body()));
            expect(2, send("POST", "/states/training%2F1/copy", "{\"to\":\"training/copy\"}"));
            expect(2, send("POST", "/states/training%2Fcopy/merge", "{\"from\":\"training/1\"}"));
            expect(2, send("DELETE", "/states/training%2Fcopy", null));
            expect(2, send("GET", "/actuator/health/liveness", null));
            expect(2, send("GET", "/actuator/prometheus", null));
            expect(2, send("GET", "/openapi.yaml", null));
            expect(2, send("GET", "/swagger-ui/index.html", null));
            expect(422, send("PUT", "/states/training%2F1", "{\"completed_state\":[]}"));
            expect(400, send("GET", "/states/training%2F1?stategy=merge", null));
        }
        expect(2, send("DELETE", "/states?pattern=training*", null));
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(service + path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (!List.of(headers).contains("Authorization")) {
            request.header("Authorization", "Bearer " + TOKEN);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    /** A class of status (2) or one status. */
    private static void expect(int status, HttpResponse<String> answer) {
        if (answer.statusCode() != status && answer.statusCode() / 100 != status) {
            throw new IllegalStateException(answer.request().method() + " " + answer.uri() + " was answered "
                    + answer.statusCode() + " instead of " + status + ": " + answer.body());
        }
    }
}

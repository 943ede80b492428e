package dev.statehouse.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

import org.jspecify.annotations.Nullable;

/** ClickHouse over bare HTTP, beside the driver under test. */
final class RawHttp implements AutoCloseable {

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    private final URI server;

    RawHttp(String host, int port, boolean secure) {
        this.server = URI.create((secure ? "https://" : "http://") + host + ":" + port + "/");
    }

    /** Sends one statement; the caller looks at the status. */
    HttpResponse<String> send(@Nullable String user, String password, String sql)
            throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server)
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.ofString(sql));
        if (user != null) {
            request.header("Authorization", "Basic " + Base64.getEncoder()
                    .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8)));
        }
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The rows as TSV without the last line break; an error of ClickHouse is an AssertionError with its text. */
    String query(String user, String password, String sql) {
        try {
            HttpResponse<String> response = send(user, password, sql);
            if (response.statusCode() != 200) {
                throw new AssertionError(response.body().strip() + "\nfor: " + sql);
            }
            String body = response.body();
            return body.endsWith("\n") ? body.substring(0, body.length() - 1) : body;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Closes its connections: an engine that is to end waits 5 s for those that are open. */
    @Override
    public void close() {
        client.shutdownNow();
    }
}

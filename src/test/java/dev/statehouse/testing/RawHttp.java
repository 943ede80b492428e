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
final class RawHttp {

    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    private RawHttp() {}

    /** Sends one statement; the caller looks at the status. */
    static HttpResponse<String> send(URI server, @Nullable String user, String password, String sql)
            throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server)
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.ofString(sql));
        if (user != null) {
            request.header("Authorization", "Basic " + Base64.getEncoder()
                    .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8)));
        }
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The rows as TSV without the last line break; an error of ClickHouse is an AssertionError with its text. */
    static String query(URI server, String user, String password, String sql) {
        try {
            HttpResponse<String> response = send(server, user, password, sql);
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
}

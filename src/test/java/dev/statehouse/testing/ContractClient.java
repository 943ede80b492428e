package dev.statehouse.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A client for tests that holds every answer against the contract. Headers are given as names and values in turn. A
 * connection that breaks, or an answer that is cut short, is an {@link UncheckedIOException}.
 */
public final class ContractClient {

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private static final Duration TIMEOUT = Duration.ofMinutes(6);

    private final URI base;
    private final boolean checked;
    private final List<String> headers;

    /** @param base such as {@code http://127.0.0.1:8080}, without a path */
    public ContractClient(String base) {
        this(URI.create(base), true, List.of());
    }

    private ContractClient(URI base, boolean checked, List<String> headers) {
        this.base = base;
        this.checked = checked;
        this.headers = headers;
    }

    /** The same client, which sends these headers with every call. */
    public ContractClient with(String... more) {
        return new ContractClient(base, checked, joined(more));
    }

    /** The same client, which takes any answer. */
    public ContractClient unchecked() {
        return new ContractClient(base, false, headers);
    }

    /** A text as one segment of a path, or as a value of a query. */
    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
    }

    /** The target of a state: {@code /states/} and its id. */
    public static String state(String id) {
        return "/states/" + encode(id);
    }

    /** The target of a lock: {@code /locks/} and its id. */
    public static String lock(String id) {
        return "/locks/" + encode(id);
    }

    public Answer get(String target, String... more) {
        return send("GET", target, null, more);
    }

    public Answer head(String target, String... more) {
        return send("HEAD", target, null, more);
    }

    public Answer delete(String target, String... more) {
        return send("DELETE", target, null, more);
    }

    public Answer put(String target, String json, String... more) {
        return send("PUT", target, json.getBytes(StandardCharsets.UTF_8), more);
    }

    public Answer patch(String target, String json, String... more) {
        return send("PATCH", target, json.getBytes(StandardCharsets.UTF_8), more);
    }

    public Answer post(String target, String json, String... more) {
        return send("POST", target, json.getBytes(StandardCharsets.UTF_8), more);
    }

    /**
     * Any request. A target that is no URI goes out as it is, in UTF-8.
     *
     * @param body null for none; else its type is {@code application/json} unless a header says another
     */
    public Answer send(String method, String target, byte @Nullable [] body, String... more) {
        List<String> all = joined(more);
        if (body != null && all.stream().noneMatch("Content-Type"::equalsIgnoreCase)) {
            all = new ArrayList<>(all);
            all.addAll(List.of("Content-Type", "application/json"));
        }
        try {
            return checked(isUri(target) ? proper(method, target, body, all) : byHand(method, target, body, all));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Sends this text as it stands, in UTF-8: request line, headers and all. Say {@code Connection: close}. */
    public Answer raw(String request) {
        return raw(request.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends these bytes as they stand. */
    public Answer raw(byte[] request) {
        try {
            return checked(RawExchange.exchange(base, request));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Answer checked(Answer answer) {
        if (checked) {
            new ContractCheck().check(answer);
        }
        return answer;
    }

    private List<String> joined(String... more) {
        List<String> all = new ArrayList<>(headers);
        all.addAll(Arrays.asList(more));
        return all;
    }

    private boolean isUri(String target) {
        try {
            URI uri = base.resolve(URI.create(base + target));
            String query = uri.getRawQuery();
            return target.equals(uri.getRawPath() + (query == null ? "" : "?" + query))
                    && target.chars().allMatch(c -> c < 128);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private Answer proper(String method, String target, byte @Nullable [] body, List<String> all)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + target))
                .timeout(TIMEOUT)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        for (int i = 0; i < all.size(); i += 2) {
            request.header(all.get(i), all.get(i + 1));
        }
        HttpRequest built = request.build();
        HttpResponse<byte[]> response = HTTP.send(built, BodyHandlers.ofByteArray());
        return new Answer(method, target, built.headers().map(), response.statusCode(), response.headers().map(),
                response.body());
    }

    private Answer byHand(String method, String target, byte @Nullable [] body, List<String> all)
            throws IOException {
        StringBuilder head = new StringBuilder("%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n".formatted(method,
                target, base.getAuthority()));
        for (int i = 0; i < all.size(); i += 2) {
            head.append(all.get(i)).append(": ").append(all.get(i + 1)).append("\r\n");
        }
        if (body != null) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
        request.writeBytes(body == null ? new byte[0] : body);
        return RawExchange.exchange(base, request.toByteArray());
    }
}

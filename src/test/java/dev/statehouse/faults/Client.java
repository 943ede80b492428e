package dev.statehouse.faults;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** A pipeline that writes down what it asks and what it is answered. One thread at a time. */
final class Client {

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private static final Pattern KEY = Pattern.compile("\"(k[^\"]*)\":1");

    private final String name;
    private final Supplier<URI> service;
    private final History history;
    private final Duration timeout;

    /** @param service asked anew for each call */
    Client(String name, Supplier<URI> service, History history) {
        this(name, service, history, Duration.ofSeconds(30));
    }

    private Client(String name, Supplier<URI> service, History history, Duration timeout) {
        this.name = name;
        this.service = service;
        this.history = history;
        this.timeout = timeout;
    }

    /** The same client, which gives up sooner. */
    Client patience(Duration other) {
        return new Client(name, service, history, other);
    }

    /** An answer; status 0 for none. */
    private record Reply(int status, String body) {

        long number(String field) {
            Matcher matcher = Pattern.compile("\"" + field + "\":(\\d+)").matcher(body);
            return status / 100 == 2 && matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
        }

        String keys() {
            return status / 100 != 2
                    ? ""
                    : String.join(",", KEY.matcher(body)
                            .results()
                            .map(MatchResult::group)
                            .map(text -> text.substring(1, text.length() - 3))
                            .collect(Collectors.toCollection(TreeSet::new)));
        }

        Call.Result result(Call.Kind kind) {
            return switch (status) {
                case 200, 201, 204 -> Call.Result.OK;
                case 404 -> kind == Call.Kind.READ ? Call.Result.OK : Call.Result.REFUSED;
                case 412 -> Call.Result.MISMATCH;
                case 409, 423 -> Call.Result.REFUSED;
                case 503 -> kind.isWrite() && !body.contains("write-unconfirmed")
                        ? Call.Result.REFUSED
                        : Call.Result.UNKNOWN;
                case 0 -> Call.Result.UNKNOWN;
                default -> throw new AssertionError(kind + " was answered " + status + " " + body);
            };
        }
    }

    Call read(String id) {
        return record(Call.Kind.READ, id, "", null, "GET", "/states/" + id, null);
    }

    /** @param lock the lease that it is made under; null for none */
    Call put(String id, String keys, @Nullable String lock) {
        return record(Call.Kind.PUT, id, keys, null, "PUT", "/states/" + id, partial(keys), token(lock));
    }

    /** @param seen what the state must be still */
    Call putIf(String id, String keys, Call seen) {
        return record(Call.Kind.PUT, id, keys, seen.state(), "PUT", "/states/" + id, partial(keys), "If-Match",
                "\"" + seen.number() + "\"");
    }

    Call patch(String id, String keys, @Nullable String lock) {
        return record(Call.Kind.PATCH, id, keys, null, "PATCH", "/states/" + id, partial(keys), token(lock));
    }

    private static String[] token(@Nullable String lock) {
        return lock == null ? new String[0] : new String[]{"Lock-Token", lock};
    }

    private static String partial(String keys) {
        Set<String> set = new TreeSet<>(Arrays.asList(keys.split(",")));
        return set.stream()
                .map(key -> "\"" + key + "\":1")
                .collect(
                        Collectors.joining(",", "{\"partial_state\":{", "}}"));
    }

    Call acquire(String id, int ttlSeconds, int waitSeconds) {
        String lock = UUID.randomUUID().toString();
        return record(Call.Kind.ACQUIRE, id, lock, null, "POST", "/locks/" + id,
                "{\"owner\":\"%s\",\"ttl_seconds\":%d,\"wait_seconds\":%d,\"lock_id\":\"%s\"}".formatted(name,
                        ttlSeconds, waitSeconds, lock));
    }

    Call renew(String id, String lock, int ttlSeconds) {
        return record(Call.Kind.RENEW, id, lock, null, "PUT", "/locks/" + id,
                "{\"ttl_seconds\":" + ttlSeconds + "}", "Lock-Token", lock);
    }

    Call release(String id, String lock) {
        return record(Call.Kind.RELEASE, id, lock, null, "DELETE", "/locks/" + id, null, "Lock-Token", lock);
    }

    /** Waits until so many wait for the lock; that is not a call of the history. */
    void awaitWaiting(String id, int number) throws InterruptedException {
        long end = System.nanoTime() + 20_000_000_000L;
        Reply lock = send("GET", "/locks/" + id, null);
        for (; !lock.body().contains("\"waiting\":" + number); lock = send("GET", "/locks/" + id, null)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(number + " should wait for " + id + ", there is " + lock.body());
            }
            Thread.sleep(50);
        }
    }

    private Call record(Call.Kind kind, String id, String given, @Nullable String ifIs, String method, String path,
            @Nullable String body, String... headers) {
        long start = System.nanoTime();
        Reply reply = send(method, path, body, headers);
        long end = System.nanoTime();
        boolean state = kind == Call.Kind.READ || kind.isWrite();
        Call call = new Call(kind, id, name, start, end, reply.result(kind), given, ifIs,
                state ? reply.keys() : "", reply.number(state ? "version" : "fencing_token"),
                reply.number("expires_in_ms"));
        history.add(call);
        return call;
    }

    private Reply send(String method, String path, @Nullable String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(service.get().resolve(path))
                .timeout(timeout)
                .header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        try {
            HttpResponse<String> response = HTTP.send(request.build(), BodyHandlers.ofString());
            return new Reply(response.statusCode(), response.body());
        } catch (IOException noAnswer) {
            return new Reply(0, "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Reply(0, "");
        }
    }
}

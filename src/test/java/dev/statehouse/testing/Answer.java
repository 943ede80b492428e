package dev.statehouse.testing;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What came back, and what had been asked.
 *
 * @param method the method of the request
 * @param target its target as it was sent: path and query
 * @param asked its headers
 * @param status the status of the answer
 * @param headers its headers
 * @param body its body; empty if there is none
 */
@SuppressWarnings("ArrayRecordComponent")
public record Answer(String method, String target, Map<String, List<String>> asked, int status,
        Map<String, List<String>> headers, byte[] body) {

    public Answer {
        asked = anyCase(asked);
        headers = anyCase(headers);
    }

    private static Map<String, List<String>> anyCase(Map<String, List<String>> headers) {
        Map<String, List<String>> map = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, values) -> map.merge(name, List.copyOf(values),
                (a, b) -> java.util.stream.Stream.concat(a.stream(), b.stream()).toList()));
        return map;
    }

    /** The first value of this header; null if it is not there. */
    public @Nullable String header(String name) {
        List<String> values = headers.get(name);
        return values == null ? null : values.getFirst();
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** The body as JSON; numbers keep all their digits. */
    public JsonNode json() {
        return Contract.JSON.readTree(text());
    }

    /** The {@code code} of a problem; empty if this is none. */
    public String code() {
        return isJson() ? json().path("code").asString("") : "";
    }

    /** Fails, with the body, if the status is another. */
    public Answer expect(int expected) {
        if (status != expected) {
            throw new AssertionError("%s: expected %d, got %s".formatted(this, expected, text()));
        }
        return this;
    }

    /** Fails, with the body, if the status or the {@code code} is another. */
    public Answer expect(int expected, String code) {
        expect(expected);
        if (!code().equals(code)) {
            throw new AssertionError("%s: expected %s, got %s".formatted(this, code, text()));
        }
        return this;
    }

    String path() {
        return target.split("\\?", 2)[0];
    }

    /** The value of a query parameter; empty if it is not there. */
    String parameter(String name) {
        String[] parts = target.split("\\?", 2);
        for (String pair : parts.length < 2 ? new String[0] : parts[1].split("&", -1)) {
            if (pair.startsWith(name + "=")) {
                return pair.substring(name.length() + 1);
            }
        }
        return "";
    }

    /** The media type without its parameters; empty if there is none. */
    public String mediaType() {
        String type = header("Content-Type");
        return type == null ? "" : type.split(";", 2)[0].strip();
    }

    private boolean isJson() {
        return body.length > 0 && (mediaType().endsWith("/json") || mediaType().endsWith("+json"));
    }

    @Override
    public String toString() {
        return method + " " + target + " -> " + status;
    }
}

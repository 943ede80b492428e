package dev.statehouse.web;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import dev.statehouse.problem.Locked;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import tools.jackson.databind.json.JsonMapper;

/**
 * One problem as RFC 9457 writes it.
 *
 * @param status the HTTP status
 * @param headers further headers of the answer
 * @param body the members, in the order in which they are written
 */
record ProblemDocument(int status, HttpHeaders headers, Map<String, Object> body) {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    static ProblemDocument of(Problem problem, HttpServletRequest request) {
        HttpHeaders headers = new HttpHeaders();
        switch (problem) {
            case Locked locked -> retryAfter(headers, locked.retryAfter());
            case Unavailable unavailable -> retryAfter(headers, unavailable.retryAfter());
            default -> {
            }
        }
        if (looked(problem) && request.getHeader("Lock-Token") != null) {
            headers.set("Lock-Waiting", Integer.toString(problem.waiting().orElse(0)));
        }
        return of(problem.code(), problem.detail(), problem.members(), headers, request);
    }

    /** Whether the lock was looked at before the call was refused, so that it can be said how many wait. */
    private static boolean looked(Problem problem) {
        return problem.waiting().isPresent() && !(problem instanceof Unavailable);
    }

    static ProblemDocument of(ProblemCode code, String detail, Map<String, Object> members, HttpHeaders headers,
            HttpServletRequest request) {
        return of(code, ProblemStatus.of(code), detail, members, headers, request);
    }

    static ProblemDocument of(ProblemCode code, int status, String detail, Map<String, Object> members,
            HttpHeaders headers, HttpServletRequest request) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("type", "urn:statehouse:problem:" + code.code());
        body.put("title", title(code));
        body.put("status", status);
        body.put("code", code.code());
        body.put("detail", detail);
        @Nullable
        String path = request.getRequestURI();
        if (path != null) {
            body.put("instance", path);
        }
        if (request.getAttribute(RequestIdFilter.ATTRIBUTE) instanceof String id) {
            body.put("request_id", id);
        }
        body.putAll(members);
        headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        headers.setCacheControl("no-store");
        return new ProblemDocument(status, headers, body);
    }

    private static String title(ProblemCode code) {
        String words = code.code().replace('-', ' ');
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    /** In whole seconds, at least one: zero would have clients ask again at once. */
    private static void retryAfter(HttpHeaders headers, Duration duration) {
        headers.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, duration.plusMillis(999).toSeconds())));
    }

    /** For controllers: the content type is set, so that no negotiation takes place. */
    ResponseEntity<Object> toResponse() {
        return ResponseEntity.status(status).headers(headers).body(bytes());
    }

    /** For filters and valves, which answer by themselves. */
    void writeTo(HttpServletResponse response) throws IOException {
        response.setStatus(status);
        headers.forEach((name, values) -> values.forEach(value -> response.setHeader(name, value)));
        byte[] bytes = bytes();
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    private byte[] bytes() {
        return JSON.writeValueAsBytes(body);
    }
}

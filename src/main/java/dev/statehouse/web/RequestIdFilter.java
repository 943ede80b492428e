package dev.statehouse.web;

import java.io.IOException;
import java.util.UUID;
import java.util.regex.Pattern;

import dev.statehouse.trace.Origin;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Gives each request a name that stands in the answer, in problems and in every log line. A caller may bring its own in
 * {@code X-Request-Id}; one that is not plain is not taken, since it goes into logs.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
final class RequestIdFilter extends OncePerRequestFilter {

    static final String ATTRIBUTE = "dev.statehouse.request-id";
    private static final String HEADER = "X-Request-Id";
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:/+=-]{1,128}");

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String id = idOf(request.getHeader(HEADER));
        request.setAttribute(ATTRIBUTE, id);
        response.setHeader(HEADER, id);
        try (var ignored = MDC.putCloseable(Origin.REQUEST_ID, id)) {
            chain.doFilter(request, response);
        }
    }

    private static String idOf(@Nullable String given) {
        return given != null && PLAIN.matcher(given).matches() ? given : UUID.randomUUID().toString();
    }
}

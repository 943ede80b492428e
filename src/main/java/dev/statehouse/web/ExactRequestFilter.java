package dev.statehouse.web;

import java.io.IOException;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.NotFound;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses request targets that cannot be decoded and bodies over the limit, before anything else looks at them, and has
 * the rest go on within the limits of {@link WebProperties}.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
final class ExactRequestFilter extends OncePerRequestFilter {

    private static final String HEALTH = "/actuator/health/";

    private final WebProperties limits;

    ExactRequestFilter(WebProperties limits) {
        this.limits = limits;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        ExactRequest exact = new ExactRequest(request, limits);
        if (isTakenUp(exact, response)) {
            chain.doFilter(exact, new ExactResponse(response, request, limits));
        }
    }

    private boolean isTakenUp(ExactRequest request, HttpServletResponse response) throws IOException {
        try {
            checkPath(request.getRequestURI());
            request.readQuery();
            if (request.getContentLengthLong() > limits.maxBodySize().toBytes()) {
                throw BodyStream.tooLarge(limits);
            }
            return true;
        } catch (Problem problem) {
            ProblemDocument.of(problem, request).writeTo(response);
            return false;
        }
    }

    private static void checkPath(String path) {
        String decoded = PercentDecoder.decode(path, false, ProblemCode.INVALID_PATH, "path");
        boolean ofAnId = path.startsWith("/states/") || path.startsWith("/locks/");
        boolean belowAPartOfHealth = decoded.startsWith(HEALTH) && decoded.indexOf('/', HEALTH.length()) >= 0;
        if (!ofAnId && (belowAPartOfHealth || decoded.chars().anyMatch(Character::isISOControl))) {
            // What serves health, and what serves files, would fail at it.
            throw new NotFound(ProblemCode.NOT_FOUND, "There is no such page.");
        }
        if (path.equals("/states/") || path.equals("/locks/") || path.startsWith("/states//")) {
            throw new InvalidInput(ProblemCode.INVALID_STATE_ID, "A state id must not be empty.");
        }
    }
}

package dev.statehouse.web;

import java.io.IOException;
import java.util.Map;

import dev.statehouse.problem.ProblemCode;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Puts a problem where a page of others (a part of health that is not there) answers with a status and nothing else. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 20)
final class BareErrorFilter extends OncePerRequestFilter {

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        chain.doFilter(request, response);
        if (response.getStatus() >= 400 && !response.isCommitted() && response.getContentType() == null) {
            ProblemCode code = ProblemStatus.codeOf(response.getStatus());
            String detail = code == ProblemCode.NOT_FOUND ? "There is no such page." : "The request was refused.";
            ProblemDocument.of(code, detail, Map.of(), new HttpHeaders(), request).writeTo(response);
        }
    }
}

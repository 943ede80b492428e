package dev.statehouse.web;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.statehouse.auth.Role;
import dev.statehouse.auth.TokenRefused;
import dev.statehouse.problem.Forbidden;
import dev.statehouse.problem.ProblemCode;
import org.springframework.http.HttpHeaders;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;

/** Answers what Spring Security refuses as a problem that says what was missing. */
final class ProblemEntryPoint implements AuthenticationEntryPoint, AccessDeniedHandler {

    private static final String REALM = "Bearer realm=\"statehouse\"";

    @Override
    public void commence(HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
            throws IOException {
        ProblemCode code = code(failure);
        HttpHeaders headers = new HttpHeaders();
        if (code == ProblemCode.ISSUER_UNAVAILABLE) {
            headers.set(HttpHeaders.RETRY_AFTER, "5");
        } else {
            headers.set(HttpHeaders.WWW_AUTHENTICATE,
                    code == ProblemCode.UNAUTHENTICATED ? REALM : REALM + ", error=\"invalid_token\"");
        }
        ProblemDocument.of(code, detail(code, failure), Map.of(), headers, request).writeTo(response);
    }

    private static ProblemCode code(AuthenticationException failure) {
        return switch (failure) {
            case TokenRefused refused -> refused.code();
            case OAuth2AuthenticationException malformed -> ProblemCode.INVALID_TOKEN;
            default -> ProblemCode.UNAUTHENTICATED;
        };
    }

    private static String detail(ProblemCode code, AuthenticationException failure) {
        if (failure instanceof TokenRefused refused) {
            return refused.detail();
        }
        return code == ProblemCode.INVALID_TOKEN
                ? "The header Authorization is not 'Bearer' and a token."
                : "This call needs a token: send the header 'Authorization: Bearer' and the token.";
    }

    /** Only pages of operators are refused by Spring Security itself. */
    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException failure)
            throws IOException {
        ProblemDocument.of(new Forbidden(Role.OPERATOR.word(), List.of()), request).writeTo(response);
    }
}

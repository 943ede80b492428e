package dev.statehouse.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.security.web.header.HeaderWriter;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;

/** Tells browsers to run nothing but Swagger UI's own files, to frame nothing, and to guess no types. */
final class PageHeaders implements HeaderWriter {

    private static final PathPatternRequestMatcher SWAGGER_UI = PathPatternRequestMatcher.pathPattern("/swagger-ui/**");

    /** Its styles are partly inline; icons are data. */
    private static final String FOR_SWAGGER_UI = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
            + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final String FOR_DATA = "default-src 'none'; frame-ancestors 'none'";

    @Override
    public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", SWAGGER_UI.matches(request) ? FOR_SWAGGER_UI : FOR_DATA);
        response.setHeader("Referrer-Policy", "no-referrer");
        if (request.isSecure()) {
            response.setHeader("Strict-Transport-Security", "max-age=31536000");
        }
    }
}

package dev.statehouse.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.stereotype.Component;

/**
 * Lets every request through to Spring Security. Its own firewall refuses {@code %25}, {@code %2F} and {@code ;}, which
 * are plain parts of ids, since elsewhere a path may be read in one way where it is guarded and in another where it is
 * served. Here both read it in the same way: it is never normalized, {@link ExactRequestFilter} has refused what cannot be
 * decoded, and pages are matched and ids are checked by the very matcher and variables that serve them.
 */
@Component
final class ExactFirewall implements HttpFirewall {

    @Override
    public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
        return new FirewalledRequest(request) {

            @Override
            public void reset() {
                // nothing was changed
            }
        };
    }

    @Override
    public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
        return response;
    }
}

package dev.statehouse.web;

import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;

import dev.statehouse.problem.Problem;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/** A request whose parameters are those of the query string alone, read strictly, and whose body ends at a limit. */
final class ExactRequest extends HttpServletRequestWrapper {

    private Map<String, String[]> parameters = Map.of();
    private final WebProperties limits;
    private @Nullable BodyStream body;

    ExactRequest(HttpServletRequest request, WebProperties limits) {
        super(request);
        this.limits = limits;
    }

    /** @throws Problem if the query string cannot be read */
    void readQuery() {
        parameters = Collections.unmodifiableMap(QueryString.parse(getQueryString()));
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = parameters.get(name);
        return values == null ? null : values[0];
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        return parameters;
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(parameters.keySet());
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        return parameters.get(name);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        return body();
    }

    private BodyStream body() throws IOException {
        if (body == null) {
            body = new BodyStream(super.getInputStream(), limits);
        }
        return body;
    }
}

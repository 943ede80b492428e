package dev.statehouse.web;

import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/** A request whose parameters are those of the query string alone, read strictly, and whose body ends at a limit. */
final class ExactRequest extends HttpServletRequestWrapper {

    private final Map<String, String[]> parameters;
    private final long maxBodyBytes;

    ExactRequest(HttpServletRequest request, Map<String, String[]> parameters, long maxBodyBytes) {
        super(request);
        this.parameters = Collections.unmodifiableMap(parameters);
        this.maxBodyBytes = maxBodyBytes;
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
        return new Limited(super.getInputStream(), maxBodyBytes);
    }

    /** Counts what is read, for bodies that do not say their length beforehand. */
    private static final class Limited extends ServletInputStream {

        private final ServletInputStream in;
        private final long limit;
        private long read;

        Limited(ServletInputStream in, long limit) {
            this.in = in;
            this.limit = limit;
        }

        @Override
        public int read() throws IOException {
            int b = in.read();
            count(b < 0 ? 0 : 1);
            return b;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int n = in.read(buffer, offset, length);
            count(Math.max(n, 0));
            return n;
        }

        private void count(int n) {
            read += n;
            if (read > limit) {
                throw ExactRequestFilter.bodyTooLarge(limit);
            }
        }

        @Override
        public boolean isFinished() {
            return in.isFinished();
        }

        @Override
        public boolean isReady() {
            return in.isReady();
        }

        @Override
        public void setReadListener(ReadListener listener) {
            in.setReadListener(listener);
        }
    }
}

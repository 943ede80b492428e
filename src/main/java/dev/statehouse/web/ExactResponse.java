package dev.statehouse.web;

import java.io.IOException;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/** A response that a client has to read at a least pace. What is written as characters, which no page is, goes its usual way. */
final class ExactResponse extends HttpServletResponseWrapper {

    private final HttpServletRequest request;
    private final WebProperties limits;
    private @Nullable AnswerStream stream;

    ExactResponse(HttpServletResponse response, HttpServletRequest request, WebProperties limits) {
        super(response);
        this.request = request;
        this.limits = limits;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            stream = new AnswerStream(super.getOutputStream(), limits, System::nanoTime, this::cut);
        }
        return stream;
    }

    private void cut() {
        if (request.getAttribute(CallerGone.SOCKET) instanceof SocketWrapperBase<?> socket) {
            socket.close();
        }
    }
}

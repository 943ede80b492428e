package dev.statehouse.web;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/** A response that a client has to read at a least pace. */
final class ExactResponse extends HttpServletResponseWrapper {

    private final HttpServletRequest request;
    private final WebProperties limits;
    private @Nullable AnswerStream stream;
    private @Nullable PrintWriter writer;

    ExactResponse(HttpServletResponse response, HttpServletRequest request, WebProperties limits) {
        super(response);
        this.request = request;
        this.limits = limits;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            stream = new AnswerStream(super.getOutputStream(), limits, this::cut);
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            writer = new PrintWriter(new OutputStreamWriter(getOutputStream(), getCharacterEncoding()));
        }
        return writer;
    }

    @Override
    public void flushBuffer() throws IOException {
        if (writer != null) {
            writer.flush();
        }
        super.flushBuffer();
    }

    private void cut() {
        if (request.getAttribute(CallerGone.SOCKET) instanceof SocketWrapperBase<?> socket) {
            socket.close();
        }
    }
}

package dev.statehouse.web;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.coyote.Adapter;
import org.apache.coyote.Processor;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.buf.MessageBytes;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Hands the path of a request on exactly as the client sent it. Tomcat by itself decodes and normalizes the path first:
 * it refuses {@code %2F} and {@code %00}, and cuts {@code ;b} off {@code /states/a;b}, so that a call for one state
 * would reach another. Here the path stays encoded, a {@code ;} becomes the plain character that it is, and
 * {@link ExactRequestFilter} checks the rest. Public because Tomcat makes it by its class name.
 */
public final class ExactTargetProtocol extends Http11NioProtocol {

    private volatile WebProperties limits = new WebProperties(DataSize.ofMegabytes(64), Duration.ofSeconds(20),
            DataSize.ofKilobytes(16));

    /** How large what a client sends may be, and how long it may take. */
    void setLimits(WebProperties limits) {
        this.limits = limits;
    }

    @Override
    protected Processor createProcessor() {
        return new ExactProcessor(this);
    }

    /** Handles one connection; knows its socket, which the requests do not. */
    private static final class ExactProcessor extends Http11Processor {

        private final ExactTargetProtocol protocol;
        private final AtomicReference<@Nullable ExactProcessor> self;
        private long headSince;

        private ExactProcessor(ExactTargetProtocol protocol) {
            this(protocol, new AtomicReference<>());
        }

        private ExactProcessor(ExactTargetProtocol protocol, AtomicReference<@Nullable ExactProcessor> self) {
            super(protocol, new ExactTargetAdapter(protocol.getAdapter(), self));
            this.protocol = protocol;
            this.self = self;
            this.self.set(this);
        }

        /**
         * Called whenever there is something to read. Tomcat waits for the next byte of a head only, so that a byte now and
         * then would keep a connection for ever: one whose head is not there in its time is ended.
         */
        @Override
        public SocketState service(SocketWrapperBase<?> socket) throws IOException {
            if (headSince == 0) {
                headSince = System.nanoTime();
            }
            SocketState state = super.service(socket);
            if (state != SocketState.LONG) {
                headSince = 0;
            } else if (System.nanoTime() - headSince > protocol.limits.slowAfter().toNanos()) {
                return SocketState.CLOSED;
            }
            return state;
        }

        /** The call is answered: what is left of its body is read, and the next head begins. */
        private void answered(Request request, Response response) {
            SocketWrapperBase<?> socket = getSocketWrapper();
            if (socket != null && !new BodyRest(request, response, protocol.limits).isRead()) {
                socket.close();
            }
            headSince = System.nanoTime();
        }

        private @Nullable SocketWrapperBase<?> socket() {
            return getSocketWrapper();
        }
    }

    private record ExactTargetAdapter(Adapter next,
            AtomicReference<@Nullable ExactProcessor> processor) implements Adapter {

        @Override
        public void service(Request request, Response response) throws Exception {
            keepPath(request);
            ExactProcessor on = processor.get();
            if (on != null && on.socket() != null) {
                request.setAttribute(CallerGone.SOCKET, on.socket());
            }
            next.service(request, response);
            if (on != null) {
                on.answered(request, response);
            }
        }

        /**
         * A path that is a string, not bytes, is one that Tomcat takes as decoded and normalized already. Its mapper
         * needs no more than a path here: one context, one servlet.
         */
        private static void keepPath(Request request) {
            MessageBytes uri = request.requestURI();
            if (uri.getType() == MessageBytes.T_BYTES && uri.startsWithIgnoreCase("/", 0)) {
                String path = uri.toString();
                uri.setString(path.replace(";", "%3B"));
                request.decodedURI().setString(path);
            }
        }

        @Override
        public boolean prepare(Request request, Response response) throws Exception {
            return next.prepare(request, response);
        }

        @Override
        public boolean asyncDispatch(Request request, Response response, SocketEvent status) throws Exception {
            return next.asyncDispatch(request, response, status);
        }

        @Override
        public void log(Request request, Response response, long time) {
            next.log(request, response, time);
        }

        @Override
        public void checkRecycled(Request request, Response response) {
            next.checkRecycled(request, response);
        }

        @Override
        public String getDomain() {
            return next.getDomain();
        }
    }
}

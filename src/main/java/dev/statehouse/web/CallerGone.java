package dev.statehouse.web;

import java.io.IOException;
import java.util.function.BooleanSupplier;

import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Gives a call a {@link BooleanSupplier} that tells whether its caller has closed the connection. Tomcat does not say so
 * by itself: it looks at a connection again when the call is over. The answer is exact for plain HTTP; over TLS a closed
 * connection is seen as well, unless the caller's end vanished without a word. To be asked on the thread of the call alone.
 */
final class CallerGone implements HandlerMethodArgumentResolver {

    /** The request's attribute that holds its socket. */
    static final String SOCKET = "dev.statehouse.socket";

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.getParameterType() == BooleanSupplier.class;
    }

    @Override
    public BooleanSupplier resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
            NativeWebRequest request, @Nullable WebDataBinderFactory binderFactory) {
        return request.getAttribute(SOCKET, RequestAttributes.SCOPE_REQUEST) instanceof SocketWrapperBase<?> socket
                ? () -> isClosed(socket)
                : () -> false;
    }

    /** Looks for bytes without waiting; what there is stays in the socket's buffer for the next request. */
    private static boolean isClosed(SocketWrapperBase<?> socket) {
        try {
            return socket.isClosed() || socket.getError() != null || !socket.isReadyForRead() && socket.isClosed();
        } catch (IOException e) {
            return true;
        }
    }
}

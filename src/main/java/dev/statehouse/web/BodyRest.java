package dev.statehouse.web;

import java.io.IOException;
import java.nio.ByteBuffer;

import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/**
 * What a call has left of its body once it is answered. It has to be read before the next request of the connection, and
 * so that the client gets to see the answer; Tomcat by itself would wait for it for ever.
 */
final class BodyRest implements ApplicationBufferHandler {

    private static final int REQUEST_TIMEOUT = 408;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final Request request;
    private final Response response;
    private final WebProperties limits;
    private ByteBuffer buffer = NONE;

    BodyRest(Request request, Response response, WebProperties limits) {
        this.request = request;
        this.response = response;
        this.limits = limits;
    }

    /** @return false if it does not come in its time, and the connection cannot be used again */
    boolean isRead() {
        if (!isThere()) {
            return true;
        }
        if (response.getStatus() == REQUEST_TIMEOUT) {
            return false;
        }
        long start = System.nanoTime();
        long read = 0;
        try {
            while (!request.isFinished() && request.doRead(this) >= 0) {
                read += buffer.remaining();
                if (System.nanoTime() - start > limits.timeFor(read).toNanos()
                        || read > limits.maxBodySize().toBytes()) {
                    return false;
                }
            }
            return true;
        } catch (IOException gone) {
            return false;
        }
    }

    /** A client that waits to be asked for its body has been answered otherwise, and does not send it any more. */
    private boolean isThere() {
        return (request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null)
                && request.getHeader("Expect") == null && !request.isFinished();
    }

    @Override
    public void setByteBuffer(ByteBuffer given) {
        buffer = given;
    }

    @Override
    public ByteBuffer getByteBuffer() {
        return buffer;
    }

    @Override
    public void expand(int size) {
        // what is read is thrown away
    }
}

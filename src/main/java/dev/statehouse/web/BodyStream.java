package dev.statehouse.web;

import java.io.IOException;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;

import dev.statehouse.problem.TooLarge;
import dev.statehouse.problem.TooSlow;

/**
 * A body that ends at a limit of size, for those that do not say their length beforehand, and at a limit of time: a
 * client that sends a byte a second would keep its call, and what that holds, for ever.
 */
final class BodyStream extends ServletInputStream {

    private final ServletInputStream in;
    private final WebProperties limits;
    private long read;
    private long since;

    BodyStream(ServletInputStream in, WebProperties limits) {
        this.in = in;
        this.limits = limits;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (since == 0) {
            since = System.nanoTime();
        }
        int n = in.read(buffer, offset, length);
        read += Math.max(n, 0);
        if (read > limits.maxBodySize().toBytes()) {
            throw tooLarge(limits);
        }
        if (n >= 0 && System.nanoTime() - since > limits.timeFor(read).toNanos()) {
            throw new TooSlow("The body comes too slowly: %,d bytes in %d seconds, which is less than"
                    .formatted(read, (System.nanoTime() - since) / 1_000_000_000)
                    + " statehouse.web.slow-after and statehouse.web.min-rate allow.");
        }
        return n;
    }

    static TooLarge tooLarge(WebProperties limits) {
        return new TooLarge("The body is larger than %,d bytes, the limit of statehouse.web.max-body-size."
                .formatted(limits.maxBodySize().toBytes()));
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

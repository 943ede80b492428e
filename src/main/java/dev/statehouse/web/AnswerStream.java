package dev.statehouse.web;

import java.io.IOException;
import java.util.function.LongSupplier;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import org.apache.catalina.connector.ClientAbortException;

/**
 * An answer that ends at a limit of time: a client that takes a little now and then would keep its call, and what that
 * holds, for ever. What counts is the time that is spent waiting for the client, not that in which the answer is made.
 * One that takes nothing at all is ended by Tomcat ({@code server.tomcat.connection-timeout}).
 */
final class AnswerStream extends ServletOutputStream {

    /** Looked at the clock after so much: no more than Tomcat has room for, so that a part waits once at most. */
    private static final int PART_BYTES = 8 * 1024;

    private final ServletOutputStream out;
    private final WebProperties limits;
    private final LongSupplier nanos;
    private final Runnable cut;
    private long written;
    private long waited;

    /**
     * @param nanos the clock, {@link System#nanoTime()}
     * @param cut closes the connection, so that the half of an answer is not taken for the whole
     */
    AnswerStream(ServletOutputStream out, WebProperties limits, LongSupplier nanos, Runnable cut) {
        this.out = out;
        this.limits = limits;
        this.nanos = nanos;
        this.cut = cut;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[]{(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int at = 0; at < length; at += PART_BYTES) {
            int part = Math.min(PART_BYTES, length - at);
            long start = nanos.getAsLong();
            out.write(bytes, offset + at, part);
            written += part;
            count(start);
        }
    }

    @Override
    public void flush() throws IOException {
        long start = nanos.getAsLong();
        out.flush();
        count(start);
    }

    private void count(long start) throws IOException {
        waited += nanos.getAsLong() - start;
        if (waited > limits.timeFor(written).toNanos()) {
            cut.run();
            throw new ClientAbortException("The answer is read too slowly: %,d bytes in %d seconds, which is less than"
                    .formatted(written, waited / 1_000_000_000)
                    + " statehouse.web.slow-after and statehouse.web.min-rate allow.");
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    @Override
    public boolean isReady() {
        return out.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
        out.setWriteListener(listener);
    }
}

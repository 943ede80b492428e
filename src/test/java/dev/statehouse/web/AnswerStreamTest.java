package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import org.apache.catalina.connector.ClientAbortException;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** By a clock that goes on only where a test says so. */
class AnswerStreamTest {

    private static final int RATE = 16 * 1024;

    private final WebProperties limits = new WebProperties(DataSize.ofMegabytes(1), Duration.ofSeconds(20),
            DataSize.ofBytes(RATE));
    private long now;
    private Duration client = Duration.ZERO;
    private int cuts;
    private final AnswerStream stream = new AnswerStream(new Client(), limits, () -> now, () -> cuts++);

    /** Keeps the service waiting at each write and flush. */
    private final class Client extends ServletOutputStream {

        @Override
        public void write(int b) {
            pass(client);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            pass(client);
        }

        @Override
        public void flush() {
            pass(client);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private void isCut() {
        assertThatThrownBy(() -> stream.write(1)).isInstanceOf(ClientAbortException.class);
        assertThat(cuts).isEqualTo(1);
    }

    @Test
    void whatTheServiceTakesItselfDoesNotCount() throws IOException {
        for (int i = 0; i < 10; i++) {
            stream.write(1);
            pass(Duration.ofMinutes(1));
            stream.flush();
        }
        assertThat(cuts).isZero();
    }

    @Test
    void waitingCountsInAllAlsoThatOfAFlush() throws IOException {
        client = Duration.ofSeconds(10);
        stream.write(1);
        stream.flush();
        client = Duration.ofMillis(1);
        isCut();
    }

    @Test
    void whoHasTakenMuchHasMoreTime() throws IOException {
        stream.write(new byte[5 * RATE]);
        client = Duration.ofSeconds(25);
        stream.write(1);
        client = Duration.ofMillis(1);
        isCut();
    }

    /** It may wait at each of its parts. */
    @Test
    void alsoOneLargeWriteIsCut() {
        client = Duration.ofSeconds(9);
        assertThatThrownBy(() -> stream.write(new byte[10 * RATE])).isInstanceOf(ClientAbortException.class);
        assertThat(now).isEqualTo(Duration.ofSeconds(27).toNanos());
    }
}

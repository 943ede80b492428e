package bench;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;

/** Starts of processes that are measured. */
final class Starts {

    private static final Duration LONGEST_START = Duration.ofMinutes(1);

    private Starts() {}

    /** @return whether the process listens there at last */
    static boolean listensOn(int port, Process process) throws InterruptedException {
        long end = System.nanoTime() + LONGEST_START.toNanos();
        while (process.isAlive() && System.nanoTime() < end) {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                return socket.isConnected();
            } catch (IOException notYet) {
                Thread.sleep(50);
            }
        }
        return false;
    }
}

package dev.statehouse.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Signals to other processes. */
public final class Signals {

    private static final long LONGEST_NANOS = 10_000_000_000L;

    private Signals() {}

    /** Stops it, and waits until all of it stands still: on a busy machine a process goes on for a moment. */
    public static void stop(long pid) {
        send(pid, "STOP");
        long end = System.nanoTime() + LONGEST_NANOS;
        while (!isStopped(pid) && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    /** Lets it go on. */
    public static void goOn(long pid) {
        send(pid, "CONT");
    }

    /** Where the system does not tell, it is taken for stopped. */
    private static boolean isStopped(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return threads.allMatch(thread -> isStopped(thread.resolve("stat")));
        } catch (IOException untold) {
            return true;
        }
    }

    private static boolean isStopped(Path stat) {
        try {
            String text = Files.readString(stat);
            return text.substring(text.lastIndexOf(')')).startsWith(") T");
        } catch (IOException gone) {
            return true;
        }
    }

    private static void send(long pid, String name) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor();
            if (code != 0) {
                throw new AssertionError("kill -" + name + " ended with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}

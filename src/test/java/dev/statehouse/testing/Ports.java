package dev.statehouse.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of this machine that a test may let go and take again: they are below those that the system gives out, so that
 * no connection of another test gets one meanwhile.
 */
public final class Ports {

    private static final int FIRST = 10_000;
    private static final int LAST = 20_000;

    private Ports() {}

    /** Listens on any of them. */
    public static ServerSocket listen() {
        for (int tries = 0; tries < 100; tries++) {
            try {
                return listen(ThreadLocalRandom.current().nextInt(FIRST, LAST));
            } catch (UncheckedIOException taken) {
                // the next one
            }
        }
        throw new IllegalStateException("No port is free between " + FIRST + " and " + LAST);
    }

    /** One that is free, for a process that is about to be started. */
    public static int free() {
        try (ServerSocket server = listen()) {
            return server.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Listens on that one. */
    public static ServerSocket listen(int port) {
        try {
            ServerSocket server = new ServerSocket();
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("Port " + port, e);
        }
    }
}

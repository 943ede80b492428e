package dev.statehouse.clickhouse;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.statehouse.testing.Ports;

/** Stands before ClickHouse, and lets a test cut, freeze, or lose what passes. */
final class TcpProxy implements AutoCloseable {

    private final ServerSocket listener;
    private final String host;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean frozen;
    private volatile boolean answersAreLost;

    /** The requests that went through, told by their first lines. */
    final AtomicInteger posts = new AtomicInteger();

    TcpProxy(String host, int port) {
        this(host, port, 0);
    }

    /** @param listenOn 0 for any free port */
    TcpProxy(String host, int port, int listenOn) {
        this.host = host;
        this.port = port;
        listener = listenOn == 0 ? Ports.listen() : Ports.listen(listenOn);
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Connections stay open and new ones are taken, but nothing passes. */
    void freeze(boolean yes) {
        frozen = yes;
    }

    /** Requests pass, and where an answer should, the connection breaks. */
    void loseAnswers(boolean yes) {
        answersAreLost = yes;
    }

    void cut() {
        open.forEach(TcpProxy::close);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(host, port);
                open.add(client);
                open.add(server);
                Thread.ofVirtual().start(() -> pump(client, server, true));
                Thread.ofVirtual().start(() -> pump(server, client, false));
            } catch (IOException e) {
                // closed, or nobody behind
            }
        }
    }

    private void pump(Socket from, Socket to, boolean request) {
        byte[] bytes = new byte[65_536];
        try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                while (frozen) {
                    Thread.sleep(10);
                }
                if (!request && answersAreLost) {
                    return;
                }
                if (request && n > 5
                        && new String(bytes, 0, 5, java.nio.charset.StandardCharsets.US_ASCII).equals("POST ")) {
                    posts.incrementAndGet();
                }
                out.write(bytes, 0, n);
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            // one side has gone, and takes the other along
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        frozen = false;
        cut();
    }
}

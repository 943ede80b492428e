package dev.statehouse.faults;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/** Stands between one instance and ClickHouse, and lets a {@link Fault} happen to each statement. */
final class FaultProxy implements AutoCloseable {

    private final ServerSocket server;
    private final InetSocketAddress clickHouse;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile Fault fault = Fault.NONE;

    FaultProxy(String host, int port) {
        clickHouse = new InetSocketAddress(host, port);
        try {
            server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** How many connections the instance has to it. */
    int connections() {
        return open.size();
    }

    void let(Fault happen) {
        fault = happen;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket instance = server.accept();
                instance.setTcpNoDelay(true);
                open.add(instance);
                Thread.ofVirtual().start(() -> serve(instance));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket instance) {
        try (instance; Line line = new Line()) {
            InputStream in = new BufferedInputStream(instance.getInputStream());
            for (HttpMessage request = HttpMessage.read(in); request != null; request = HttpMessage.read(in)) {
                if (!exchange(line, request, instance.getOutputStream())) {
                    return;
                }
            }
        } catch (IOException gone) {
            // of either side; the other sees it by its closed connection
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(instance);
        }
    }

    /** @return false to cut the connection */
    private boolean exchange(Line line, HttpMessage request, OutputStream out)
            throws IOException, InterruptedException {
        Fault now = fault;
        Statement statement = Statement.of(request.body());
        Fault.Fate fate = now.before(statement);
        if (fate == Fault.Fate.LOSE_REQUEST) {
            return false;
        }
        HttpMessage sent = now.disguise(request.withBody(now.rewrite(request.body())));
        HttpMessage answer = line.ask(sent);
        if (fate == Fault.Fate.TWICE) {
            try (Line other = new Line()) {
                other.ask(sent);
            }
        }
        now.after(statement);
        switch (fate) {
            case LOSE_ANSWER -> {
            }
            case CUT_ANSWER -> answer.writeHalf(out);
            default -> answer.write(out);
        }
        return fate != Fault.Fate.LOSE_ANSWER && fate != Fault.Fate.CUT_ANSWER;
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    /** A connection to ClickHouse, opened when it is needed. */
    private final class Line implements AutoCloseable {

        private @Nullable Socket socket;
        private @Nullable InputStream in;

        HttpMessage ask(HttpMessage request) throws IOException {
            if (socket == null || in == null) {
                socket = new Socket();
                socket.setTcpNoDelay(true);
                socket.connect(clickHouse, 5_000);
                in = new BufferedInputStream(socket.getInputStream());
            }
            request.write(socket.getOutputStream());
            HttpMessage answer = HttpMessage.read(in);
            if (answer == null) {
                throw new IOException("ClickHouse closed the connection");
            }
            return answer;
        }

        @Override
        public void close() throws IOException {
            if (socket != null) {
                socket.close();
            }
        }
    }
}

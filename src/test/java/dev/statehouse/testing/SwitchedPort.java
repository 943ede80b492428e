package dev.statehouse.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * A port that leads to a server and can be cut off, as if that server had died, and put back. Bytes pass through it
 * unchanged.
 */
public final class SwitchedPort implements AutoCloseable {

    private final String host;
    private final int target;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private @Nullable ServerSocket listening;
    private volatile boolean stalled;
    private volatile @Nullable String trigger;

    /** @param off whether it is cut off at first */
    public SwitchedPort(String host, int target, boolean off) {
        this.host = host;
        this.target = target;
        this.port = open(Ports.listen()).getLocalPort();
        if (off) {
            cut();
        }
    }

    public int port() {
        return port;
    }

    private synchronized ServerSocket open(ServerSocket server) {
        listening = server;
        Thread.ofVirtual().start(() -> accept(server));
        return server;
    }

    /** Every connection breaks, and new ones are refused. */
    public synchronized void cut() {
        ServerSocket server = listening;
        listening = null;
        if (server != null) {
            close(server);
        }
        open.forEach(SwitchedPort::close);
        open.clear();
    }

    /** All is as it was. */
    public synchronized void restore() {
        stalled = false;
        trigger = null;
        if (listening == null) {
            open(Ports.listen(port));
        }
    }

    /** From now on nothing comes back, as from a frozen server. */
    public void stall() {
        stalled = true;
    }

    /** Cuts as soon as this text goes to the server, before it gets there. */
    public void cutAt(String text) {
        trigger = text;
    }

    private void accept(ServerSocket server) {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Socket there = new Socket(host, target);
                open.add(client);
                open.add(there);
                if (server.isClosed()) {
                    close(client);
                    close(there);
                }
                Thread.ofVirtual().start(() -> pump(client, there, true));
                Thread.ofVirtual().start(() -> pump(there, client, false));
            } catch (IOException e) {
                // cut, or the server is away: the next one tells
            }
        }
    }

    private void pump(Socket from, Socket to, boolean asking) {
        byte[] buffer = new byte[64 * 1024];
        try (from; to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                String text = trigger;
                if (asking && text != null && new String(buffer, 0, n, StandardCharsets.ISO_8859_1).contains(text)) {
                    cut();
                    return;
                }
                while (!asking && stalled) {
                    Thread.sleep(10);
                }
                out.write(buffer, 0, n);
            }
        } catch (IOException | InterruptedException e) {
            // the other end is told by the close
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        cut();
    }
}

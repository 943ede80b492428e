package bench;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/** One kept-alive connection that speaks as little HTTP as it takes: the load must not cost more than what is measured. */
final class Wire implements AutoCloseable {

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;
    private final String host;

    Wire(String base) throws IOException {
        URI uri = URI.create(base);
        host = uri.getAuthority();
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()));
        in = new BufferedInputStream(socket.getInputStream(), 16_384);
        out = socket.getOutputStream();
    }

    /**
     * An answer.
     *
     * @param status of HTTP
     * @param body in UTF-8
     */
    record Reply(int status, String body) {

        Reply expect(int... statuses) {
            for (int each : statuses) {
                if (each == status) {
                    return this;
                }
            }
            throw new IllegalStateException("The answer was " + status + ": " + body);
        }
    }

    Reply send(String method, String path, String body) throws IOException {
        return send(method, path, body, Map.of());
    }

    Reply send(String method, String path, String body, Map<String, String> headers) throws IOException {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream request = new ByteArrayOutputStream(256 + content.length);
        StringBuilder more = new StringBuilder();
        headers.forEach((name, value) -> more.append(name).append(": ").append(value).append("\r\n"));
        request.writeBytes((method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + more
                + (content.length == 0 && method.equals("GET")
                        ? ""
                        : "Content-Type: application/json\r\nContent-Length: " + content.length + "\r\n")
                + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(content);
        request.writeTo(out);
        int status = Integer.parseInt(line().split(" ", 3)[1]);
        int length = 0;
        boolean chunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(lower.substring(15).strip());
            }
            chunked |= lower.startsWith("transfer-encoding:") && lower.contains("chunked");
        }
        return new Reply(status, new String(chunked ? chunks() : in.readNBytes(length), StandardCharsets.UTF_8));
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
            all.writeBytes(in.readNBytes(size));
            line();
        }
        line();
        return all.toByteArray();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("The connection was closed.");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

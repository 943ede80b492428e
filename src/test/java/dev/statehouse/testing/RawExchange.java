package dev.statehouse.testing;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** HTTP/1.1 by hand over a socket, for requests that a proper client refuses to send. */
final class RawExchange {

    private static final int TIMEOUT_MILLIS = 30_000;

    private RawExchange() {}

    /** Sends these bytes as they are and reads one answer. */
    static Answer exchange(URI base, byte[] request) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(base.getHost(), base.getPort()), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            send(socket, request);
            List<String> asked = lines(head(request));
            String[] line = asked.getFirst().split(" ", -1);
            String target = line.length < 2 ? "" : line[1];
            return answer(line[0], target, headers(asked), socket.getInputStream());
        }
    }

    /** A server may answer before it has read all; then writing fails, and the answer is still there. */
    private static void send(Socket socket, byte[] request) throws IOException {
        try {
            socket.getOutputStream().write(request);
            socket.getOutputStream().flush();
        } catch (IOException e) {
            if (socket.getInputStream().available() == 0) {
                throw e;
            }
        }
    }

    private static Answer answer(String method, String target, Map<String, List<String>> asked, InputStream in)
            throws IOException {
        List<String> lines = lines(head(in));
        String[] line = lines.getFirst().split(" ", 3);
        if (!line[0].startsWith("HTTP/1.")) {
            throw new IOException("This is no HTTP answer: " + lines.getFirst());
        }
        int status = Integer.parseInt(line[1]);
        if (status < 200) {
            return answer(method, target, asked, in);
        }
        Answer bare = new Answer(method, target, asked, status, headers(lines), new byte[0]);
        return new Answer(method, target, asked, status, bare.headers(), body(bare, in));
    }

    private static byte[] body(Answer bare, InputStream in) throws IOException {
        String length = bare.header("Content-Length");
        if (bare.method().equals("HEAD") || bare.status() == 204 || bare.status() == 304) {
            return new byte[0];
        } else if (bare.header("Transfer-Encoding") != null) {
            return chunks(in);
        } else if (length != null) {
            return exactly(in, Integer.parseInt(length));
        }
        return in.readAllBytes();
    }

    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int size = Integer.parseInt(line(in).split(";", 2)[0].strip(), 16);
            if (size == 0) {
                return body.toByteArray();
            }
            body.writeBytes(exactly(in, size));
            line(in);
        }
    }

    private static byte[] exactly(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("The answer was cut short.");
        }
        return bytes;
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("The answer was cut short.");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            head.append(line).append('\n');
        }
        return head.toString();
    }

    /** Bytes beyond ASCII stay what they are in UTF-8, so that a target reads as it was sent. */
    private static String head(byte[] request) {
        String text = new String(request, StandardCharsets.UTF_8);
        int end = text.indexOf("\r\n\r\n");
        return end < 0 ? text : text.substring(0, end);
    }

    private static List<String> lines(String head) {
        return head.lines().toList();
    }

    private static Map<String, List<String>> headers(List<String> lines) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.computeIfAbsent(line.substring(0, colon).strip(), name -> new ArrayList<>())
                        .add(line.substring(colon + 1).strip());
            }
        }
        return headers;
    }
}

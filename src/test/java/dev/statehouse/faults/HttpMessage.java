package dev.statehouse.faults;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 request or answer, read whole.
 *
 * @param lines the first line and the headers, without those that say how long the body is
 * @param body its bytes
 */
record HttpMessage(List<String> lines, String body) {

    /** @return null at the end of the stream */
    static @Nullable HttpMessage read(InputStream in) throws IOException {
        String first = line(in);
        if (first == null) {
            return null;
        }
        List<String> lines = new java.util.ArrayList<>(List.of(first));
        for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
            lines.add(line);
        }
        HttpMessage head = new HttpMessage(lines, "");
        byte[] body = head.body(in);
        lines.removeIf(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:")
                || line.toLowerCase(Locale.ROOT).startsWith("transfer-encoding:"));
        return new HttpMessage(List.copyOf(lines), new String(body, StandardCharsets.ISO_8859_1));
    }

    private byte[] body(InputStream in) throws IOException {
        String length = header("content-length");
        if (header("transfer-encoding") != null) {
            return chunks(in);
        } else if (length != null) {
            return exactly(in, Integer.parseInt(length));
        } else if (lines.getFirst().startsWith("HTTP/") && !lines.getFirst().startsWith("HTTP/1.1 204")) {
            return in.readAllBytes();
        }
        return new byte[0];
    }

    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            String size = line(in);
            if (size == null) {
                throw new EOFException("cut short");
            }
            int count = Integer.parseInt(size.split(";", 2)[0].strip(), 16);
            body.writeBytes(exactly(in, count));
            line(in);
            if (count == 0) {
                return body.toByteArray();
            }
        }
    }

    private static byte[] exactly(InputStream in, int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("cut short");
        }
        return bytes;
    }

    private static @Nullable String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int c = in.read();
        if (c < 0) {
            return null;
        }
        for (; c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("cut short");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    /** The value of a header by its name in small letters; null if it is not there. */
    @Nullable
    String header(String name) {
        return lines.stream()
                .skip(1)
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse(null);
    }

    HttpMessage withBody(String other) {
        return new HttpMessage(lines, other);
    }

    HttpMessage withoutHeaders(String... names) {
        return new HttpMessage(lines.stream()
                .filter(line -> Arrays.stream(names)
                        .noneMatch(name -> line.toLowerCase(Locale.ROOT).startsWith(name + ":")))
                .toList(), body);
    }

    HttpMessage withHeader(String line) {
        return new HttpMessage(Stream.concat(lines.stream(), Stream.of(line)).toList(), body);
    }

    void write(OutputStream out) throws IOException {
        out.write(bytes());
        out.flush();
    }

    /** All of the head and half of the body. */
    void writeHalf(OutputStream out) throws IOException {
        byte[] all = bytes();
        out.write(all, 0, all.length - (body.length() + 1) / 2);
        out.flush();
    }

    private byte[] bytes() {
        byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
        String head = String.join("\r\n", lines) + "\r\nContent-Length: " + bytes.length + "\r\n\r\n";
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
        all.writeBytes(bytes);
        return all.toByteArray();
    }
}

package dev.statehouse.trace;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import com.sun.net.httpserver.HttpServer;

/** A collector of spans on this machine: takes OTLP over HTTP, and reads of its protobuf what the tests ask for. */
final class OtlpReceiver implements AutoCloseable {

    private final HttpServer server;
    private final List<Received> spans = new CopyOnWriteArrayList<>();

    /** One span; what it came as holds also what is not read here. */
    record Received(String traceId, String spanId, String parentId, String name, Map<String, String> attributes,
            List<String> links, String bytes) {}

    private OtlpReceiver(HttpServer server) {
        this.server = server;
        server.createContext("/v1/traces", exchange -> {
            spans.addAll(read(exchange.getRequestBody().readAllBytes()));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    static OtlpReceiver start() throws IOException {
        return new OtlpReceiver(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
    }

    /** Waits for a span; all of its trace that have come by then. */
    List<Received> await(Predicate<Received> wanted) {
        long end = System.nanoTime() + 30_000_000_000L;
        while (System.nanoTime() < end) {
            for (Received span : spans) {
                if (wanted.test(span)) {
                    return spans.stream().filter(each -> each.traceId().equals(span.traceId())).toList();
                }
            }
            LockSupport.parkNanos(10_000_000);
        }
        throw new AssertionError("no such span among " + spans);
    }

    private static List<Received> read(byte[] request) {
        List<Received> read = new ArrayList<>();
        for (byte[] resource : messages(request, 1)) {
            for (byte[] scope : messages(resource, 2)) {
                messages(scope, 2).forEach(span -> read.add(span(span)));
            }
        }
        return read;
    }

    private static Received span(byte[] span) {
        Map<String, String> attributes = new HashMap<>();
        for (byte[] attribute : messages(span, 9)) {
            messages(attribute, 2).forEach(value -> attributes.put(text(attribute, 1), text(value, 1)));
        }
        return new Received(hex(span, 1), hex(span, 2), hex(span, 4), text(span, 5), attributes,
                messages(span, 13).stream().map(link -> hex(link, 2)).toList(),
                new String(span, StandardCharsets.ISO_8859_1));
    }

    private static String hex(byte[] message, int field) {
        return messages(message, field).stream().map(HexFormat.of()::formatHex).findFirst().orElse("");
    }

    private static String text(byte[] message, int field) {
        return messages(message, field).stream()
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .findFirst()
                .orElse("");
    }

    /** The values of a field that have a length: messages, texts, bytes. */
    private static List<byte[]> messages(byte[] message, int field) {
        List<byte[]> found = new ArrayList<>();
        ByteBuffer bytes = ByteBuffer.wrap(message);
        while (bytes.hasRemaining()) {
            long key = number(bytes);
            switch ((int) key & 7) {
                case 0 -> number(bytes);
                case 1 -> bytes.position(bytes.position() + 8);
                case 5 -> bytes.position(bytes.position() + 4);
                default -> {
                    byte[] value = new byte[(int) number(bytes)];
                    bytes.get(value);
                    if (key >> 3 == field) {
                        found.add(value);
                    }
                }
            }
        }
        return found;
    }

    private static long number(ByteBuffer bytes) {
        long number = 0;
        for (int shift = 0;; shift += 7) {
            byte next = bytes.get();
            number |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return number;
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

package dev.statehouse.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A client in a process of its own. Its output is its part of the {@link History}, one call a line, then {@code end}. */
@SuppressWarnings("SystemOut")
final class Worker {

    private static final int TTL_SECONDS = 10;
    private static final int WAIT_SECONDS = 60;

    private Worker() {}

    /** What to do, the service, the id, how often, the client's name. */
    public static void main(String[] args) throws InterruptedException {
        ProcessHandle.current()
                .parent()
                .ifPresent(parent -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
        History history = new History();
        Client client = new Client(args[4], () -> URI.create(args[1]), history);
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            switch (args[0]) {
                case "bump" -> bump(client, args[2]);
                case "collect" -> collect(client, args[2], "k" + args[4] + "-" + i);
                case "patch" -> patch(client, args[2], "k" + args[4] + "-" + i);
                case "hold" -> hold(client, args[2]);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
        history.calls().forEach(call -> System.out.println(call.line()));
        System.out.println("end");
    }

    /** Reads a number, adds one and writes it: nothing but the lock keeps the others from doing so meanwhile. */
    private static void bump(Client client, String id) {
        while (true) {
            Call lease = client.acquire(id, TTL_SECONDS, WAIT_SECONDS);
            if (lease.result() == Call.Result.OK) {
                int number = Integer.parseInt("0" + client.read(id).state().replace("k", ""));
                Call written = client.put(id, "k" + (number + 1), lease.given());
                client.release(id, lease.given());
                if (written.result() == Call.Result.OK) {
                    return;
                }
            }
        }
    }

    /**
     * Reads all keys, adds one and writes them, until it is known to be done: as unguarded as a bump, but a write of which
     * nothing is known may be made again.
     */
    private static void collect(Client client, String id, String key) {
        while (true) {
            Call lease = client.acquire(id, TTL_SECONDS, WAIT_SECONDS);
            if (lease.result() == Call.Result.OK) {
                Call seen = client.read(id);
                boolean done = seen.result() == Call.Result.OK && client
                        .put(id, RegisterCheck.union(seen.state(), key), lease.given())
                        .result() == Call.Result.OK;
                client.release(id, lease.given());
                if (done) {
                    return;
                }
            }
        }
    }

    private static void patch(Client client, String id, String key) throws InterruptedException {
        while (client.patch(id, key, null).result() != Call.Result.OK) {
            Thread.sleep(ThreadLocalRandom.current().nextInt(20));
        }
    }

    /** Holds the lock, says so, and waits to be killed. */
    private static void hold(Client client, String id) throws InterruptedException {
        System.out.println(client.acquire(id, 2, 0).line());
        Thread.sleep(60_000);
    }

    static Process start(String what, URI service, String id, int times, String name) {
        try {
            return Processes.java(true, List.of("-Xmx48m"), Worker.class,
                    List.of(what, service.toString(), id, Integer.toString(times), name)).start();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Waits for its end; what does not end in order fails. */
    static List<Call> calls(Process worker) throws IOException {
        List<Call> calls = new ArrayList<>();
        try (BufferedReader lines = reader(worker)) {
            for (String line = lines.readLine(); !"end".equals(line); line = lines.readLine()) {
                if (line == null || !line.contains("\t")) {
                    String rest = line + "\n" + String.join("\n", lines.lines().toList());
                    throw new AssertionError("The client has failed: " + rest);
                }
                calls.add(Call.parse(line));
            }
        }
        return calls;
    }

    static BufferedReader reader(Process worker) {
        return new BufferedReader(new InputStreamReader(worker.getInputStream(), StandardCharsets.UTF_8));
    }
}

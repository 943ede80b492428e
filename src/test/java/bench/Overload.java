package bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** PUTs of more clients than a service takes: some are refused at once, and their clients wait before they try again. */
final class Overload {

    private static final long PAUSE_MS = 200;

    private final String base;
    private final String prefix;
    private final String state;
    private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
    private final AtomicLong turn = new AtomicLong();

    /** @param prefix of the ids */
    Overload(String base, String prefix, String state) {
        this.base = base;
        this.prefix = prefix;
        this.state = state;
    }

    /**
     * What came of it.
     *
     * @param accepted how long those took that were stored
     * @param refusals how long those took that were answered 503
     */
    record Result(Timings accepted, Timings refusals) {

        void print(String what) {
            System.out.printf(Locale.ROOT, "%-44s %9d %9.1f %9.1f   refused %d, p99 %.1f ms%n", what,
                    accepted.sorted().length, accepted.p50(), accepted.p99(), refusals.sorted().length,
                    refusals.sorted().length == 0 ? 0 : refusals.p99());
        }
    }

    Result of(int clients, Duration time) throws Exception {
        Queue<Long> accepted = new ConcurrentLinkedQueue<>();
        Queue<Long> refusals = new ConcurrentLinkedQueue<>();
        Map<Integer, Wire> wires = new ConcurrentHashMap<>();
        Load.of(base, clients, time, (wire, client, number) -> {
            long start = System.nanoTime();
            String id = prefix + turn.incrementAndGet();
            // A refusal closes the connection.
            Wire own = wires.computeIfAbsent(client, none -> connect());
            Wire.Reply reply = own.send("PUT", "/states/" + id, state).expect(201, 503);
            (reply.status() == 201 ? accepted : refusals).add(System.nanoTime() - start);
            if (reply.status() == 201) {
                acknowledged.add(id);
            } else {
                own.close();
                wires.remove(client);
                Thread.sleep(PAUSE_MS);
            }
        });
        for (Wire wire : wires.values()) {
            wire.close();
        }
        return new Result(timings(accepted), timings(refusals));
    }

    private Wire connect() {
        try {
            return new Wire(base);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of what was acknowledged so far. */
    long missingIn(Set<String> stored) {
        return acknowledged.stream().filter(id -> !stored.contains(id)).count();
    }

    private static Timings timings(Queue<Long> nanos) {
        return new Timings(nanos.stream().mapToLong(Long::longValue).sorted().toArray());
    }
}

package dev.statehouse.faults;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * Clients that read, replace, merge, replace if unchanged, and work under locks, on a few ids, which change now and then
 * so that each has a short history.
 */
final class MixedLoad {

    private static final int CLIENTS = 6;
    private static final int IDS = 4;
    private static final int CALLS_AN_ID = 40;
    /** On a busy machine it takes longer until there is something to check. */
    private static final int LEAST_CALLS = 200;
    private static final Duration MOST_MORE = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final IntFunction<URI> instances;
    private final History history;
    private final long seed;
    private final String name;

    /** @param instances the address of the first and of the second instance */
    MixedLoad(String name, IntFunction<URI> instances, History history, long seed) {
        this.name = name;
        this.instances = instances;
        this.history = history;
        this.seed = seed;
    }

    /** Runs while something else happens, and for that long at least; fails if hardly anything succeeds. */
    void during(Duration least, Callable<?> something) throws Exception {
        long end = System.nanoTime() + least.toNanos();
        boolean[] over = {false};
        List<Future<?>> clients = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                clients.add(threads.submit(() -> work(number, over)));
            }
            try {
                something.call();
                Thread.sleep(Math.max(0, (end - System.nanoTime()) / 1_000_000));
                awaitCalls();
            } finally {
                synchronized (over) {
                    over[0] = true;
                }
            }
        }
        for (Future<?> client : clients) {
            succeed(client);
        }
        for (Call.Kind kind : Call.Kind.values()) {
            if (history.count(kind, Call.Result.OK) == 0) {
                throw new AssertionError("no " + kind + " succeeded: " + history.summary());
            }
        }
    }

    private void awaitCalls() throws InterruptedException {
        long most = System.nanoTime() + MOST_MORE.toNanos();
        while (history.calls().size() < LEAST_CALLS && System.nanoTime() < most) {
            Thread.sleep(100);
        }
    }

    private static void succeed(Future<?> client) throws InterruptedException {
        try {
            client.get();
        } catch (ExecutionException e) {
            throw new AssertionError("a client failed", e);
        }
    }

    private static boolean isOver(boolean[] over) {
        synchronized (over) {
            return over[0];
        }
    }

    private void work(int number, boolean[] over) {
        Random random = new Random(seed + number);
        Client client = new Client("c" + number, () -> instances.apply(number % 2), history).patience(PATIENCE);
        for (int i = 0; !isOver(over); i++) {
            String id = name + "-" + i * CLIENTS / CALLS_AN_ID / IDS + "-" + random.nextInt(IDS);
            step(client, random, id, "k" + number + "-" + i);
        }
    }

    private static void step(Client client, Random random, String id, String key) {
        switch (random.nextInt(6)) {
            case 0 -> client.read(id);
            case 1 -> client.put(id, key, null);
            case 2 -> client.patch(id, key, null);
            case 3 -> {
                Call seen = client.read(id);
                if (seen.result() == Call.Result.OK && seen.number() > 0) {
                    client.putIf(id, key, seen);
                }
            }
            default -> underLock(client, random, id, key);
        }
    }

    private static void underLock(Client client, Random random, String id, String key) {
        Call lease = client.acquire(id, 2, random.nextInt(4));
        if (lease.result() == Call.Result.OK) {
            Call seen = client.read(id);
            client.put(id, RegisterCheck.union(seen.state(), key), lease.given());
            if (random.nextBoolean()) {
                client.renew(id, lease.given(), 2);
                client.patch(id, key + "-more", lease.given());
            }
        }
        if (lease.result() == Call.Result.UNKNOWN || random.nextInt(20) != 0) {
            client.release(id, lease.given());
        }
    }
}

package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** {@code kill -9} of clients and of instances, at the worst moments. */
@Isolated
class DeathsIT {

    private final Fleet fleet = Fleet.shared();
    private final History history = new History();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final String run = "-" + System.nanoTime();
    private final Client client = new Client("client", () -> fleet.base(1), history);

    @AfterEach
    void endThreads() {
        threads.close();
        history.check();
    }

    private static Duration between(Call from, Call to) {
        return Duration.ofNanos(to.end() - from.end());
    }

    @Test
    void theLockOfADeadClientIsFreeAfterItsTime() throws Exception {
        Process holder = Worker.start("hold", fleet.base(0), "dead-holder" + run, 1, "holder");
        try (BufferedReader output = Worker.reader(holder)) {
            Call lease = Call.parse(Objects.requireNonNull(output.readLine()));
            assertThat(lease.result()).isEqualTo(Call.Result.OK);
            history.add(lease);
            Future<Call> next = threads.submit(() -> client.acquire("dead-holder" + run, 5, 20));
            holder.destroyForcibly();
            Call taken = next.get();
            Runs.say("a holder with a time of 2 s died: the next came in after " + between(lease, taken).toMillis()
                    + " ms");
            assertThat(taken.result()).isEqualTo(Call.Result.OK);
            assertThat(between(lease, taken)).isLessThan(Duration.ofSeconds(2 + 2));
        } finally {
            holder.destroyForcibly();
        }
    }

    @Test
    void aWaiterOfADeadInstanceCostsSixSeconds() throws Exception {
        String id = "dead-waiter" + run;
        Call lease = client.acquire(id, 60, 0);
        Client first = new Client("first", () -> fleet.base(0), history);
        Future<Call> gone = threads.submit(() -> first.acquire(id, 60, 60));
        Client second = new Client("second", () -> fleet.base(1), history);
        Thread.sleep(1_000);
        Future<Call> next = threads.submit(() -> second.acquire(id, 5, 60));
        Thread.sleep(500);
        fleet.service(0).kill();
        client.release(id, lease.given());
        Call released = history.of(id).getLast();
        try {
            assertThat(gone.get().result()).isEqualTo(Call.Result.UNKNOWN);
            assertThat(next.get().result()).isEqualTo(Call.Result.OK);
            Runs.say("an instance died with the first waiter: the second came in after "
                    + between(released, next.get()).toMillis() + " ms");
            assertThat(between(released, next.get())).isLessThan(Duration.ofSeconds(6 + 2));
        } finally {
            fleet.replace(0);
        }
    }

    @Test
    void aWriteThatDiedBeforeItWasStoredIsFoundByWhoComesNext() throws Exception {
        String written = "dead-writer-w" + run;
        String locked = "dead-writer-l" + run;
        CountDownLatch announced = new CountDownLatch(2);
        CompletableFuture<?> dead = new CompletableFuture<>();
        fleet.proxy(0).let(new Fault() {

            @Override
            public Fate before(Statement statement) {
                if (statement.step() == Statement.Step.STORE && statement.text().contains(run)) {
                    announced.countDown();
                    dead.join();
                    return Fate.LOSE_REQUEST;
                }
                return Fate.PASS;
            }
        });
        Future<Call> one = threads.submit(() -> new Client("w", () -> fleet.base(0), history).patch(written, "k1",
                null));
        Future<Call> other = threads.submit(() -> new Client("l", () -> fleet.base(0), history).patch(locked, "k1",
                null));
        assertThat(announced.await(20, TimeUnit.SECONDS)).isTrue();
        fleet.service(0).kill();
        dead.complete(null);
        try {
            assertThat(one.get().result()).isEqualTo(Call.Result.UNKNOWN);
            assertThat(other.get().result()).isEqualTo(Call.Result.UNKNOWN);
            Call next = client.patch(written, "k2", null);
            assertThat(next.state()).isEqualTo("k1,k2");
            Call lease = client.acquire(locked, 10, 0);
            assertThat(client.read(locked).state()).isEqualTo("k1");
            client.release(locked, lease.given());
            assertThat(client.read(written).state()).isEqualTo("k1,k2");
        } finally {
            fleet.proxy(0).let(Fault.NONE);
            fleet.replace(0);
        }
    }
}

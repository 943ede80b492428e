package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.time.Duration;
import java.util.List;
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

    /** One instance dies with all of them: the first in the queue of a lock, and two writes that were announced. */
    @Test
    void aWaiterOfADeadInstanceCostsSixSecondsAndItsWritesAreFoundByWhoComesNext() throws Exception {
        String waited = "dead-waiter" + run;
        Call lease = client.acquire(waited, 60, 0);
        Future<Call> first = threads.submit(() -> doomed("first").acquire(waited, 60, 60));
        client.awaitWaiting(waited, 1);
        Future<Call> second = threads.submit(() -> new Client("second", () -> fleet.base(1), history).acquire(waited, 5,
                60));
        client.awaitWaiting(waited, 2);
        String written = "dead-writer-w" + run;
        String locked = "dead-writer-l" + run;
        CompletableFuture<?> dead = new CompletableFuture<>();
        CountDownLatch announced = holdAtStore(dead);
        List<Future<Call>> gone = List.of(first, threads.submit(() -> doomed("w").patch(written, "k1", null)),
                threads.submit(() -> doomed("l").patch(locked, "k1", null)));
        try {
            assertThat(announced.await(20, TimeUnit.SECONDS)).isTrue();
            fleet.service(0).kill();
            dead.complete(null);
            Call released = client.release(waited, lease.given());
            for (Future<Call> call : gone) {
                assertThat(call.get().result()).isEqualTo(Call.Result.UNKNOWN);
            }
            theWritesAreFound(written, locked);
            Duration took = between(released, second.get());
            Runs.say("an instance died with the first waiter: the second came in after " + took.toMillis() + " ms");
            assertThat(second.get().result()).isEqualTo(Call.Result.OK);
            assertThat(took).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6 + 2));
        } finally {
            dead.complete(null);
            fleet.proxy(0).let(Fault.NONE);
            fleet.replace(0);
        }
    }

    private Client doomed(String name) {
        return new Client(name, () -> fleet.base(0), history);
    }

    /** @return tells when two writes of this run are about to be stored, by an instance that dies then */
    private CountDownLatch holdAtStore(CompletableFuture<?> dead) {
        CountDownLatch announced = new CountDownLatch(2);
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
        return announced;
    }

    private void theWritesAreFound(String written, String locked) {
        Call next = client.patch(written, "k2", null);
        assertThat(next.state()).isEqualTo("k1,k2");
        Call lease = client.acquire(locked, 10, 0);
        assertThat(client.read(locked).state()).isEqualTo("k1");
        client.release(locked, lease.given());
        assertThat(client.read(written).state()).isEqualTo("k1,k2");
    }
}

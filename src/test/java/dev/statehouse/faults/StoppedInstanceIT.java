package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * One instance is stopped at each step of each call, for longer than the lease of a second lasts, and goes on; meanwhile
 * the other serves the next holder. Several calls are at the same step when it is stopped, each on an id of its own.
 */
@Isolated
class StoppedInstanceIT {

    private static final int TTL = 1;
    private static final long STOP_MILLIS = 2_000;
    private static final int MOST_STATEMENTS = 9;

    private final Fleet fleet = Fleet.shared();
    private final History history = new History();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Scene> scenes = new ArrayList<>();

    /** A call that is stopped. */
    private interface Victim {

        /** @param lock the lease that was acquired before; "" for none */
        Call call(Client client, String id, String lock);
    }

    /** One call on one id, and where it is stopped. */
    private final class Scene {

        private final String id;
        private final StopAt.Point point;
        private final Victim victim;
        private final boolean leased;

        Scene(String what, boolean leased, Victim victim, Statement.@Nullable Step step, int number, boolean after) {
            this.id = what + "-" + number + (after ? "-after-" : "-before-") + (step == null ? "any" : step) + "-"
                    + System.nanoTime();
            this.point = new StopAt.Point(step, number, after);
            this.leased = leased;
            this.victim = victim;
            scenes.add(this);
        }

        private Client client(String name, int instance) {
            return new Client(name + " " + id, () -> fleet.base(instance), history);
        }

        /** As a pipeline that does not know that time has passed: what it acquires it writes under. */
        private Call run() {
            Client client = client("victim", 0);
            String lock = leased ? client("victim", 1).acquire(id, TTL, 0).given() : "";
            Call call = victim.call(client, id, lock);
            if (call.kind() == Call.Kind.ACQUIRE && call.result() == Call.Result.OK) {
                client.put(id, "k-late", call.given());
            }
            return call;
        }

        /** Takes over as soon as it may, and holds for longer than the victim stands still. */
        private void takeOver(long until) throws InterruptedException {
            Client next = client("next", 1);
            Call lease = next.acquire(id, 10, 10);
            assertThat(lease.result()).describedAs("the next in of " + id).isEqualTo(Call.Result.OK);
            next.read(id);
            next.put(id, "k-first", lease.given());
            do {
                Thread.sleep(100);
                next.read(id);
            } while (System.nanoTime() < until);
            next.put(id, "k-second", lease.given());
            next.release(id, lease.given());
        }
    }

    @AfterEach
    void endThreads() {
        threads.close();
    }

    private void calls(Statement.@Nullable Step step, int number, boolean after) {
        new Scene("acquire", false, (client, id, lock) -> client.acquire(id, TTL, 0), step, number, after);
        new Scene("renew", true, (client, id, lock) -> client.renew(id, lock, TTL), step, number, after);
        new Scene("write", true, (client, id, lock) -> client.put(id, "k-victim", lock), step, number, after);
        new Scene("patch", false, (client, id, lock) -> client.patch(id, "k-patch", null), step, number, after);
        new Scene("release", true, (client, id, lock) -> client.release(id, lock), step, number, after);
    }

    @Test
    void atEachStatement() throws Exception {
        for (int round = 0; round < Runs.times(1); round++) {
            boolean reached = true;
            for (int number = 1; reached && number < MOST_STATEMENTS; number++) {
                calls(null, number, false);
                calls(null, number, true);
                reached = stopAndGoOn();
            }
            assertThat(reached).describedAs("a call has too many statements").isFalse();
        }
        history.check();
        Runs.say(history.summary());
    }

    @Test
    void whileItWaits() throws Exception {
        for (int round = 0; round < Runs.times(1); round++) {
            for (Statement.Step step : List.of(Statement.Step.CLAIM, Statement.Step.RENEW, Statement.Step.SIGN)) {
                for (boolean after : new boolean[]{false, true}) {
                    new Scene("wait-for-end", true, (client, id, lock) -> client.acquire(id, TTL, 5), step, 1, after);
                    new Scene("wait-for-release", true, this::waitForRelease, step, 1, after);
                }
            }
            assertThat(stopAndGoOn()).isTrue();
        }
        history.check();
        Runs.say(history.summary());
    }

    private Call waitForRelease(Client client, String id, String lock) {
        threads.submit(() -> {
            Thread.sleep(400);
            return new Client("victim " + id, () -> fleet.base(1), history).release(id, lock);
        });
        return client.acquire(id, TTL, 5);
    }

    /** @return whether any call came to its point */
    private boolean stopAndGoOn() throws Exception {
        StopAt stop = new StopAt();
        scenes.forEach(scene -> stop.hold(scene.id, scene.point));
        fleet.proxy(0).let(stop);
        List<Future<Call>> victims = scenes.stream().map(scene -> threads.submit(scene::run)).toList();
        long end = System.nanoTime() + 3_000_000_000L;
        for (int i = 0; i < scenes.size(); i++) {
            while (!victims.get(i).isDone() && System.nanoTime() < end
                    && !scenes.get(i).point.awaitReached(20)) {
                // either comes soon
            }
        }
        boolean reached = scenes.stream().anyMatch(scene -> scene.point.isReached());
        List<Future<?>> successors = reached ? standStill(stop) : List.of();
        stop.stopped();
        stop.goesOn();
        for (Future<?> future : successors) {
            future.get();
        }
        for (int i = 0; i < scenes.size(); i++) {
            Runs.say("%s stopped %s: %s".formatted(scenes.get(i).id, scenes.get(i).point, victims.get(i).get()));
        }
        scenes.clear();
        fleet.proxy(0).let(Fault.NONE);
        return reached;
    }

    private List<Future<?>> standStill(StopAt stop) throws InterruptedException {
        fleet.service(0).stop();
        try {
            stop.stopped();
            long until = System.nanoTime() + (STOP_MILLIS + 700) * 1_000_000;
            List<Future<?>> successors = new ArrayList<>();
            scenes.stream()
                    .filter(scene -> scene.point.isReached())
                    .forEach(scene -> successors.add(threads.submit(() -> {
                        scene.takeOver(until);
                        return null;
                    })));
            Thread.sleep(STOP_MILLIS);
            return successors;
        } finally {
            fleet.service(0).goOn();
        }
    }
}

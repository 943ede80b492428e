package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private static final long STOP_MILLIS = 1_500;
    /** Long enough for all to come to where they are stopped, where they do. */
    private static final long REACH_SECONDS = 20;
    private static final int MOST_STATEMENTS = 9;
    private static final int STATEMENTS_AT_A_TIME = 3;
    /**
     * How many statements each takes, before and after each of which it is stopped; who acquires also writes. On a busy machine
     * the lease may be over before the last of them.
     */
    private static final Map<String, Integer> STATEMENTS_OF = Map.of("acquire", 6, "renew", 2, "write", 4, "patch",
            4, "release", 2);

    private final Fleet fleet = Fleet.shared();
    private final History history = new History();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Scene> scenes = new ArrayList<>();
    private int stopped;

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
        private final String what;
        private final int leasedFor;

        /** @param leasedFor for how many seconds the lock is acquired before; 0 for not */
        Scene(String what, int leasedFor, Victim victim, Statement.@Nullable Step step, int number, boolean after) {
            this.what = what;
            this.id = what + "-" + number + (after ? "-after-" : "-before-") + (step == null ? "any" : step) + "-"
                    + System.nanoTime();
            this.point = new StopAt.Point(step, number, after);
            this.leasedFor = leasedFor;
            this.victim = victim;
            scenes.add(this);
        }

        /** @param beside 0 for the instance that is stopped, 1 for the other */
        private Client client(String name, int beside) {
            return new Client(name + " " + id, () -> fleet.base((stopped + beside) % 2), history);
        }

        /** As a pipeline that does not know that time has passed: what it acquires it writes under. */
        private Call run() {
            Client client = client("victim", 0);
            String lock = leasedFor > 0 ? client("victim", 1).acquire(id, leasedFor, 0).given() : "";
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
                Thread.sleep(300);
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
        new Scene("acquire", 0, (client, id, lock) -> client.acquire(id, TTL, 0), step, number, after);
        new Scene("renew", TTL, (client, id, lock) -> client.renew(id, lock, TTL), step, number, after);
        new Scene("write", TTL, (client, id, lock) -> client.put(id, "k-victim", lock), step, number, after);
        new Scene("patch", 0, (client, id, lock) -> client.patch(id, "k-patch", null), step, number, after);
        new Scene("release", TTL, (client, id, lock) -> client.release(id, lock), step, number, after);
    }

    @Test
    void atEachStatement() throws Exception {
        for (int round = 0; round < Runs.times(1); round++) {
            List<Scene> reached = new ArrayList<>();
            for (int number = 1; number <= MOST_STATEMENTS; number++) {
                calls(null, number, false);
                calls(null, number, true);
                if (number % STATEMENTS_AT_A_TIME == 0) {
                    reached.addAll(stopAndGoOn());
                }
            }
            STATEMENTS_OF.forEach((what, least) -> assertThat(reached).as("where " + what + " was stopped")
                    .filteredOn(scene -> scene.what.equals(what))
                    .hasSizeGreaterThanOrEqualTo(2 * (least - 1)));
            assertThat(reached).as("a call has too many statements")
                    .noneMatch(scene -> scene.point.number() == MOST_STATEMENTS);
        }
        history.check();
        Runs.say(history.summary());
    }

    /** Each comes to where it is stopped some two seconds after the lock was taken. */
    @Test
    void whileItWaits() throws Exception {
        for (int round = 0; round < Runs.times(1); round++) {
            for (boolean after : new boolean[]{false, true}) {
                new Scene("wait-for-end", 2, (client, id, lock) -> client.acquire(id, TTL, 6), Statement.Step.CLAIM, 1,
                        after);
                new Scene("wait-for-release", 10, this::waitForRelease, Statement.Step.RENEW, 1, after);
                new Scene("wait-with-signs", 5, (client, id, lock) -> client.acquire(id, TTL, 9), Statement.Step.SIGN,
                        1, after);
            }
            List<Scene> all = List.copyOf(scenes);
            assertThat(stopAndGoOn()).as("all that can happen while one waits did").isEqualTo(all);
        }
        history.check();
        Runs.say(history.summary());
    }

    /** Some writes are on their way together when the instance that gathers writes is stopped. */
    @Test
    void inTheMiddleOfABatch() throws Exception {
        stopped = 1;
        for (boolean stored : new boolean[]{false, true}) {
            for (int i = 0; i < 5; i++) {
                new Scene("batch", TTL, (client, id, lock) -> client.put(id, "k-victim", lock),
                        stored ? Statement.Step.STORE : Statement.Step.ANNOUNCE, 1, !stored);
            }
            List<Scene> all = List.copyOf(scenes);
            assertThat(stopAndGoOn()).as("all came to the point").isEqualTo(all);
        }
        history.check();
        Runs.say(history.summary());
    }

    private Call waitForRelease(Client client, String id, String lock) {
        threads.submit(() -> {
            Thread.sleep(1_600);
            return new Client("victim " + id, () -> fleet.base(1 - stopped), history).release(id, lock);
        });
        return client.acquire(id, TTL, 5);
    }

    /** @return those that came to their points */
    private List<Scene> stopAndGoOn() throws Exception {
        StopAt stop = new StopAt();
        scenes.forEach(scene -> stop.hold(scene.id, scene.point));
        fleet.proxy(stopped).let(stop);
        List<Future<Call>> victims = scenes.stream().map(scene -> threads.submit(scene::run)).toList();
        long end = System.nanoTime() + REACH_SECONDS * 1_000_000_000;
        for (int i = 0; i < scenes.size(); i++) {
            while (!victims.get(i).isDone() && System.nanoTime() < end
                    && !scenes.get(i).point.awaitReached(20)) {
                // either comes soon
            }
        }
        List<Scene> reached = scenes.stream().filter(scene -> scene.point.isReached()).toList();
        List<Future<?>> successors = reached.isEmpty() ? List.of() : standStill(stop, reached);
        stop.stopped();
        stop.goesOn();
        for (Future<?> future : successors) {
            future.get();
        }
        for (int i = 0; i < scenes.size(); i++) {
            Runs.say("%s stopped %s: %s".formatted(scenes.get(i).id, scenes.get(i).point, victims.get(i).get()));
        }
        scenes.clear();
        fleet.proxy(stopped).let(Fault.NONE);
        return reached;
    }

    private List<Future<?>> standStill(StopAt stop, List<Scene> reached) throws InterruptedException {
        fleet.service(stopped).stop();
        try {
            stop.stopped();
            long until = System.nanoTime() + (STOP_MILLIS + 700) * 1_000_000;
            List<Future<?>> successors = new ArrayList<>();
            reached.forEach(scene -> successors.add(threads.submit(() -> {
                scene.takeOver(until);
                return null;
            })));
            Thread.sleep(STOP_MILLIS);
            return successors;
        } finally {
            fleet.service(stopped).goOn();
        }
    }
}

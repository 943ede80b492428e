package dev.statehouse.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.statehouse.batch.TestBatches;
import dev.statehouse.clickhouse.TestInstance;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.json.JsonObject;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Event;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.ProblemCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writes that come while another is under way are made together. The second channel is SQL of the test's own. */
@Timeout(60)
class GatheredWritesIT {

    private final String name = "gathered:" + UUID.randomUUID();
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch underWay = new CountDownLatch(1);
    private final AtomicInteger announcements = new AtomicInteger();
    private final AtomicInteger stored = new AtomicInteger();
    private final TestWriter writer;

    GatheredWritesIT() {
        writer = TestWriter.open(TestInstance.freshSchema(), TestBatches.slow(Duration.ofMinutes(1)));
    }

    /** The first write stands at its announcement until all others wait. */
    @BeforeEach
    void holdTheFirst() throws Exception {
        writer.ledger.beforeAppend = entries -> {
            if (entries.stream().anyMatch(entry -> entry.event() == Event.WRITE)) {
                announcements.incrementAndGet();
                underWay.countDown();
                await(goOn);
            }
        };
        writer.store.beforeWrite = rows -> stored.incrementAndGet();
        callers.submit(() -> put("first", "{\"a\":1}"));
        assertThat(underWay.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @AfterEach
    void close() {
        goOn.countDown();
        callers.close();
        writer.instance.dropSchema();
        writer.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private StateId id(String of) {
        return new StateId(name + ":" + of);
    }

    private Outcome.Done put(String of, String json) {
        return writer.states.write(id(of), Preconditions.NONE, LockTokens.NONE,
                Change.replace(new Halves(JsonObject.parse(json), null), false));
    }

    private Outcome.Done patch(String of, String json) {
        return writer.states.update(id(of), Preconditions.NONE, LockTokens.NONE,
                Change.mergeIntoPartial(JsonObject.parse(json)));
    }

    private Future<Outcome> submit(Write write) {
        return callers.submit(() -> writer.writer.write(List.of(write)).getFirst());
    }

    private Write replacing(String of, Preconditions preconditions, Set<String> leases) {
        return new Write(id(of), preconditions, Change.replace(new Halves(JsonObject.parse("{\"b\":2}"), null), false),
                leases);
    }

    private void awaitWaiting(int calls) throws InterruptedException {
        for (long end = System.nanoTime() + 20_000_000_000L; waiting() < calls; Thread.sleep(5)) {
            assertThat(System.nanoTime()).as(waiting() + " wait").isLessThan(end);
        }
    }

    private int waiting() {
        return (int) writer.meters.get("statehouse.batch.queued").tag("queue", "writes").gauge().value();
    }

    private long rows(String of) {
        return writer.instance.number("SELECT count() FROM $state FINAL WHERE state_id = ?", id(of).value());
    }

    @Test
    void writesOfDifferentIdsAreOneAnnouncementAndOneInsert() throws Exception {
        List<Future<Outcome.Done>> calls = IntStream.range(0, 50)
                .mapToObj(i -> callers.submit(() -> put("id" + i, "{\"n\":" + i + "}")))
                .toList();
        awaitWaiting(50);
        goOn.countDown();
        for (int i = 0; i < 50; i++) {
            assertThat(calls.get(i).get().created()).isTrue();
            assertThat(writer.instance.text("SELECT any(completed_state) FROM $state FINAL WHERE state_id = ?",
                    id("id" + i).value())).isEqualTo("{\"n\":" + i + "}");
        }
        assertThat(announcements).hasValue(2);
        assertThat(stored).hasValue(2);
    }

    @Test
    void writesOfOneIdAreComposedAndEachIsAnsweredWithItsOwnVersion() throws Exception {
        List<Future<Outcome.Done>> calls = IntStream.range(0, 50)
                .mapToObj(i -> callers.submit(() -> patch("hot", "{\"k" + i + "\":1}")))
                .toList();
        awaitWaiting(50);
        goOn.countDown();
        List<Long> versions = new ArrayList<>();
        for (Future<Outcome.Done> call : calls) {
            versions.add(call.get().state().version());
        }
        assertThat(versions).doesNotHaveDuplicates();
        assertThat(writer.states.read(id("hot")).halves().merged().text().split(",")).hasSize(50);
        assertThat(announcements).hasValue(2);
        assertThat(rows("hot")).isEqualTo(1);
    }

    @Test
    void whatIsWrongWithOneFailsThatOneAlone() throws Exception {
        LockId foreign = new LockId(UUID.randomUUID());
        writer.instance.ledger()
                .append(List.of(Entry.request(id("locked"), UUID.randomUUID().toString(), foreign.hash(), "holder",
                        Duration.ofMinutes(2).toMillis())));
        String huge = "{\"x\":\"" + "v".repeat(17 * 1024 * 1024) + "\"}";
        Future<Outcome> good = submit(replacing("good", Preconditions.NONE, Set.of()));
        Future<Outcome> locked = submit(replacing("locked", Preconditions.NONE, Set.of()));
        Future<Outcome> lost = submit(replacing("lost", Preconditions.NONE, Set.of("no lease of anybody")));
        Future<Outcome> mismatch = submit(replacing("mismatch", Preconditions.still(7), Set.of()));
        Future<Outcome> broken = submit(new Write(id("broken"), Preconditions.NONE, current -> {
            throw new IllegalStateException("a fault of the service");
        }, Set.of()));
        Future<Outcome> alsoGood = submit(replacing("also good", Preconditions.NONE, Set.of()));
        awaitWaiting(6);
        goOn.countDown();
        assertThat(good.get()).isInstanceOf(Outcome.Done.class);
        assertThat(alsoGood.get()).isInstanceOf(Outcome.Done.class);
        assertThat(refusal(locked.get())).isEqualTo(ProblemCode.LOCKED);
        assertThat(refusal(lost.get())).isEqualTo(ProblemCode.LOCK_LOST);
        assertThat(refusal(mismatch.get())).isEqualTo(ProblemCode.VERSION_MISMATCH);
        assertThat(broken.get()).isInstanceOf(Outcome.Failed.class);
        assertThat(announcements).hasValue(2);
        assertThat(refusal(submit(new Write(id("huge"), Preconditions.NONE,
                Change.replace(new Halves(JsonObject.parse(huge), null), false), Set.of())).get()))
                .isEqualTo(ProblemCode.TOO_LARGE);
        for (String none : List.of("locked", "lost", "mismatch", "broken", "huge")) {
            assertThat(rows(none)).as(none).isZero();
        }
    }

    private static ProblemCode refusal(Outcome outcome) {
        return ((Outcome.Refused) outcome).problem().code();
    }

    /** Another instance writes one of the ids in between. */
    @Test
    void whatLosesARaceGoesAgainAndTheOthersDoNotWaitForIt() throws Exception {
        try (TestWriter other = TestWriter.open(writer.instance.schema())) {
            Future<Outcome.Done> loses = callers.submit(() -> patch("raced", "{\"mine\":1}"));
            Future<Outcome.Done> wins = callers.submit(() -> put("alone", "{\"a\":1}"));
            awaitWaiting(2);
            AtomicInteger round = new AtomicInteger();
            CountDownLatch again = new CountDownLatch(1);
            writer.ledger.beforeAppend = entries -> {
                if (entries.stream()
                        .anyMatch(entry -> entry.event() == Event.WRITE
                                && entry.stateId().equals(id("raced")))) {
                    if (round.incrementAndGet() == 1) {
                        other.states.write(id("raced"), Preconditions.NONE, LockTokens.NONE,
                                Change.replace(new Halves(null, JsonObject.parse("{\"theirs\":1}")), false));
                    } else {
                        await(again);
                    }
                }
            };
            goOn.countDown();
            assertThat(wins.get().created()).isTrue();
            assertThat(loses.isDone()).isFalse();
            again.countDown();
            assertThat(loses.get().state().halves().merged().text()).isEqualTo("{\"theirs\":1,\"mine\":1}");
            assertThat(round).hasValue(2);
            assertThat(writer.meters.get("statehouse.writes.lost").counter().count()).isEqualTo(1);
        }
    }
}

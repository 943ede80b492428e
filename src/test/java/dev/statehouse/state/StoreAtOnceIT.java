package dev.statehouse.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.statehouse.clickhouse.TestInstance;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.json.JsonObject;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Event;
import dev.statehouse.ledger.Tail;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.Locked;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.testing.SeamLedger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A write that is alone looks and stores in one statement; whoever comes between is not missed. Where nobody else writes to
 * the log it only counts its rows.
 */
@ParameterizedClass
@ValueSource(booleans = {false, true})
class StoreAtOnceIT {

    @Parameter
    private boolean quietly;

    private static TestWriter one;
    private static TestWriter two;

    private final StateId id = new StateId("at-once:" + UUID.randomUUID());
    private final AtomicInteger stored = new AtomicInteger();
    private long version = 1_700_000_000_000L;
    private final AtomicInteger refused = new AtomicInteger();
    private final CountDownLatch arrived = new CountDownLatch(1);

    @BeforeAll
    static void open() {
        String schema = TestInstance.freshSchema();
        one = TestWriter.open(schema);
        two = TestWriter.open(schema);
    }

    @AfterAll
    static void close() {
        one.instance.dropSchema();
        two.close();
        one.close();
    }

    @BeforeEach
    void countAndStandNowhere() {
        for (TestWriter writer : List.of(one, two)) {
            writer.standNowhere();
            writer.store.atOnce = true;
        }
        one.store.afterSettleIf = written -> (written ? stored : refused).incrementAndGet();
        setQuiet(one);
        count();
    }

    /** For all of a test. */
    private void setQuiet(TestWriter writer) {
        for (int n = 0; n < 10; n++) {
            writer.quiet.was(quietly);
        }
    }

    private void count() {
        stored.set(0);
        refused.set(0);
        one.ledger.looks.set(0);
        one.store.quietTries.set(0);
        one.store.settledQuietly.set(0);
    }

    /** It is written often: only then rows are counted. */
    private void begin(LockId... leases) {
        if (quietly) {
            for (int n = 0; n < 3; n++) {
                put(one, 0, leases);
            }
            count();
        }
    }

    private void countedInVain() {
        assertThat(one.store.quietTries.get() > one.store.settledQuietly.get()).as("counted in vain")
                .isEqualTo(quietly);
    }

    private Outcome.Done put(TestWriter by, int n, LockId... leases) {
        return put(by, id, n, leases);
    }

    private static Outcome.Done put(TestWriter by, StateId id, int n, LockId... leases) {
        return by.states.write(id, Preconditions.NONE, new LockTokens(Arrays.asList(leases)),
                Change.replace(new Halves(JsonObject.parse("{\"n\":" + n + "}"), null), false));
    }

    private Outcome.Done patch(TestWriter by, String key) {
        return by.states.update(id, Preconditions.NONE, new LockTokens(List.of()),
                Change.mergeIntoPartial(JsonObject.parse("{\"" + key + "\":1}")));
    }

    private void holds(String column, String json) {
        assertThat(one.instance.text(
                "SELECT any(" + column + ") FROM (SELECT * FROM $state FINAL) WHERE state_id = ?", id.value()))
                .isEqualTo(json);
    }

    private LockId lease(Duration ttl) {
        LockId lockId = new LockId(UUID.randomUUID());
        request(lockId, ttl);
        return lockId;
    }

    private void request(LockId lockId, Duration ttl) {
        two.instance.ledger()
                .append(List.of(
                        Entry.request(id, UUID.randomUUID().toString(), lockId.hash(), "holder", ttl.toMillis())));
    }

    @Test
    void noLookIsNeededWhileNobodyElseComes() {
        begin();
        put(one, 1);
        assertThat(one.ledger.looks).as("looks for the first, which reads what is there").hasValue(0);
        for (int n = 2; n <= 9; n++) {
            long before = put(one, n).state().version();
            assertThat(put(one, ++n).state().version()).isGreaterThan(before);
            holds("completed_state", "{\"n\":" + n + "}");
        }
        assertThat(stored).hasValue(9);
        assertThat(refused).hasValue(0);
        assertThat(one.ledger.looks).hasValue(0);
    }

    @Test
    void rowsAreCountedWhileNobodyElseWrites() {
        try (TestWriter alone = TestWriter.open(TestInstance.freshSchema())) {
            alone.store.atOnce = true;
            setQuiet(alone);
            put(alone, 1);
            put(alone, 2);
            assertThat(alone.ledger.looks).as("for an id that is written twice").hasValue(0);
            put(alone, 3);
            assertThat(alone.store.quietTries).as("tries before a row of its own was seen").hasValue(0);
            for (int n = 4; n <= 60; n++) {
                put(alone, n);
            }
            assertThat(alone.store.settledQuietly.get()).isBetween(quietly ? 45 : 0, quietly ? 57 : 0);
            assertThat(alone.ledger.looks.get()).as("for the list of rows that begins again").isLessThan(10);
            alone.store.settledQuietly.set(0);
            setQuiet(alone);
            alone.instance.ledger().append(List.of(Entry.done(new StateId("another"), "its", "none")));
            for (int n = 1; n <= 10; n++) {
                put(alone, n);
            }
            assertThat(alone.store.settledQuietly.get()).as("soon again after another came")
                    .isBetween(quietly ? 5 : 0, quietly ? 9 : 0);
            alone.instance.dropSchema();
        }
    }

    /** The rows that this instance has appended since it looked are a list that must not grow for ever. */
    @Test
    void nowAndThenItLooks() {
        begin();
        for (int n = 1; n <= 40; n++) {
            put(one, n);
            holds("completed_state", "{\"n\":" + n + "}");
        }
        assertThat(one.ledger.looks.get()).as("where rows are counted, that list begins again each time")
                .isBetween(quietly ? 0 : 1, 10);
        assertThat(stored.get()).isGreaterThan(25);
        assertThat(refused).hasValue(0);
    }

    @Test
    void thatItWasToldAsDoneByItselfIsNothingNew() throws Exception {
        begin();
        put(one, 1);
        for (int n = 2; n <= 4; n++) {
            Thread.sleep(300);
            put(one, n);
        }
        assertThat(one.instance.number("SELECT count() FROM $ledger WHERE state_id = ? AND event = 'done'", id.value()))
                .as("told alone")
                .isGreaterThanOrEqualTo(3);
        assertThat(stored).hasValue(4);
        assertThat(refused).hasValue(0);
    }

    /** They may be among the rows that were seen meanwhile: then what the log ends with is not known any more. */
    @Test
    void thatItWasToldAsDoneLateIsNothingToBuildOn() throws Exception {
        put(one, 1);
        CountDownLatch toldLate = holdTelling();
        seeWhatIsTold();
        toldLate.countDown();
        Thread.sleep(300);
        putWithoutATry();
    }

    @Test
    void thatAnotherWriteToldItLateIsNothingToBuildOnEither() throws Exception {
        put(one, 1);
        CountDownLatch toldLate = holdTelling();
        Thread other = Thread.ofVirtual().start(() -> put(one, new StateId(id.value() + ":other"), 1));
        seeWhatIsTold();
        toldLate.countDown();
        other.join();
        putWithoutATry();
    }

    /** @return what holds up who tells that it is done, after the rows are there */
    private CountDownLatch holdTelling() {
        CountDownLatch toldLate = new CountDownLatch(1);
        one.ledger.afterAppend = entries -> {
            if (entries.stream().anyMatch(entry -> entry.event() == Event.DONE && entry.stateId().equals(id))) {
                one.ledger.afterAppend = later -> {};
                arrived.countDown();
                uninterruptibly(toldLate);
            }
        };
        return toldLate;
    }

    private void seeWhatIsTold() {
        uninterruptibly(arrived);
        put(one, 2);
        put(one, 3);
        assertThat(one.ledger.looks).as("it has looked since").hasPositiveValue();
    }

    private void putWithoutATry() {
        int tries = stored.get() + refused.get();
        put(one, 4);
        holds("completed_state", "{\"n\":4}");
        assertThat(stored.get() + refused.get()).isEqualTo(tries);
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aWriteOfAnotherAfterTheAnnouncementIsNotHidden() {
        begin();
        patch(one, "a");
        one.store.beforeSettleIf = once(() -> patch(two, "b"));
        patch(one, "c");
        holds("partial_state", "{\"a\":1,\"c\":1,\"b\":1}");
        countedInVain();
        assertThat(refused).hasValue(1);
        // What is remembered is not what the log ends with any more.
        patch(one, "d");
        holds("partial_state", "{\"a\":1,\"c\":1,\"b\":1,\"d\":1}");
    }

    @Test
    void aWriteOfAnotherBeforeTheAnnouncementIsBuiltUpon() {
        begin();
        patch(one, "a");
        one.ledger.beforeAppend = once(entries -> patch(two, "b"));
        patch(one, "c");
        holds("partial_state", "{\"a\":1,\"b\":1,\"c\":1}");
        countedInVain();
    }

    @Test
    void aLeaseBeforeTheAnnouncementKeepsItOut() {
        begin();
        put(one, 1);
        one.ledger.beforeAppend = once(entries -> lease(Duration.ofMinutes(1)));
        assertThatThrownBy(() -> put(one, 2)).isInstanceOf(Locked.class);
        holds("completed_state", "{\"n\":1}");
        countedInVain();
    }

    /** It counted before the lease, so it is stored: as by whoever holds the lease now. */
    @Test
    void aLeaseAfterTheAnnouncementDoesNot() {
        begin();
        put(one, 1);
        one.store.beforeSettleIf = once(() -> lease(Duration.ofMinutes(1)));
        put(one, 2);
        holds("completed_state", "{\"n\":2}");
        assertThat(refused).hasValue(1);
        countedInVain();
    }

    @Test
    void underALeaseThatLastsItIsAloneAsWell() {
        LockId lease = lease(Duration.ofMinutes(2));
        begin(lease);
        put(one, 1, lease);
        put(one, 2, lease);
        holds("completed_state", "{\"n\":2}");
        assertThat(stored).hasValue(2);
    }

    /** Many leases are of ten seconds: they are not too short. */
    @Test
    void underALeaseThatEndsBeforeTheAnnouncementLandsNothingIsStored() {
        LockId lease = lease(Duration.ofSeconds(2));
        begin(lease);
        put(one, 1, lease);
        assertThat(stored).hasValue(1);
        one.ledger.beforeAppend = once(entries -> one.instance.time().sleep(Duration.ofMillis(2_200)));
        assertThatThrownBy(() -> put(one, 2, lease)).isInstanceOfSatisfying(Problem.class,
                problem -> assertThat(problem.code()).isEqualTo(ProblemCode.LOCK_LOST));
        assertThat(refused).hasValue(1);
        holds("completed_state", "{\"n\":1}");
    }

    @Test
    void whereALeaseIsOverAndNoRowSaysSoItLooks() throws Exception {
        lease(Duration.ofSeconds(1));
        Thread.sleep(1_200);
        put(one, 1);
        holds("completed_state", "{\"n\":1}");
        assertThat(stored.get() + refused.get()).isZero();
    }

    @Test
    void whoWaitsForTheLeaseMeanwhileIsTold() {
        LockId lease = lease(Duration.ofMinutes(2));
        begin(lease);
        put(one, 1, lease);
        one.store.beforeSettleIf = once(() -> request(new LockId(UUID.randomUUID()), Duration.ofMinutes(2)));
        assertThat(put(one, 2, lease).waiting()).isEqualTo(1);
    }

    @Test
    void whereTheAnswerIsLostItLooksAndStores() {
        begin();
        put(one, 1);
        for (int n = 2; n <= 3; n++) {
            boolean before = n == 2;
            one.ledger.looks.set(0);
            one.store.beforeSettleIf = () -> fail(before);
            one.store.afterSettleIf = written -> fail(!before);
            long version = put(one, n).state().version();
            assertThat(one.ledger.looks).hasValue(1);
            holds("completed_state", "{\"n\":" + n + "}");
            assertThat(one.instance.number(
                    "SELECT toUnixTimestamp64Milli(max(updated_at)) FROM $state WHERE state_id = ?", id.value()))
                    .isEqualTo(version);
            one.store.beforeSettleIf = () -> {};
            one.store.afterSettleIf = written -> {};
            put(one, 0);
        }
    }

    private static void fail(boolean now) {
        if (now) {
            throw SeamLedger.away();
        }
    }

    @Test
    void idsInTurnAreEachAlone() {
        StateId other = new StateId(id.value() + ":other");
        for (int n = 1; n <= 6; n++) {
            put(one, n);
            put(one, other, n);
        }
        holds("completed_state", "{\"n\":6}");
        if (quietly) {
            assertThat(one.ledger.looks.get()).as("when it seemed quiet").isBetween(2, 4);
        } else {
            assertThat(stored).hasValue(12);
            assertThat(one.ledger.looks).hasValue(0);
        }
    }

    @Test
    void aDeletionIsStoredAtOnceAsWell() {
        begin();
        put(one, 1);
        one.states.write(id, Preconditions.NONE, new LockTokens(List.of()), Change.CLEAR);
        assertThat(stored).hasValue(2);
        assertThat(one.instance.number(
                "SELECT count() FROM (SELECT * FROM $state FINAL) WHERE state_id = ? AND completed_state IS NULL",
                id.value())).isEqualTo(1);
    }

    /** A row that was sent twice is there twice. */
    @Test
    void anAnnouncementThatIsThereTwiceIsLookedAt() {
        begin();
        put(one, 1);
        one.ledger.afterAppend = once(one.instance.ledger()::append);
        put(one, 2);
        holds("completed_state", "{\"n\":2}");
        assertThat(refused).hasValue(1);
    }

    /** Block by block, as the table holds it; merged or not. */
    @Test
    void theStatementStoresUnderThatLogOnly() {
        StateId other = new StateId(id.value() + ":other");
        for (StateId each : List.of(id, other)) {
            for (String event : List.of("a", "b", "c")) {
                one.instance.ledger()
                        .append(List.of(Entry.write(each, event + each.value(), "", 0, 1, null, document(event), 0)));
            }
        }
        long now = one.instance.number("SELECT toUnixTimestamp64Milli(now64(3))");
        for (String merged : List.of("", "OPTIMIZE TABLE $ledger FINAL")) {
            if (!merged.isEmpty()) {
                one.instance.execute(merged);
            }
            long first = block("a");
            long second = block("b");
            assertThat(storesIf(first, now + 60_000, "a", "b", "c")).isTrue();
            assertThat(storesIf(0, now + 60_000, "c", "a", "b")).as("all of it").isTrue();
            assertThat(storesIf(second, now + 60_000, "b", "c")).as("from a block on").isTrue();
            assertThat(storesIf(first, now + 60_000, "b", "c")).as("one more").isFalse();
            assertThat(storesIf(second, now + 60_000, "a", "b", "c")).as("one less").isFalse();
            assertThat(storesIf(second, now + 60_000, "b", "c", "c")).as("one twice").isFalse();
            assertThat(storesIf(second, now + 60_000, "b", "d")).as("another").isFalse();
            assertThat(storesIf(second, now - 60_000, "b", "c")).as("too late").isFalse();
        }
    }

    /** Rows that lie further back than they may be asked for: others may have been forgotten since. */
    @Test
    void theStatementDoesNotRunLate() {
        one.instance.execute("INSERT INTO $ledger (state_id, event, event_id, completed_state, at)"
                + " SETTINGS async_insert = 0 SELECT ?, 'write', ?, ?, now64(3) - INTERVAL 5 MINUTE", id.value(),
                "c" + id.value(), document("c"));
        long now = one.instance.number("SELECT toUnixTimestamp64Milli(now64(3))");
        assertThat(storesIf(0, now - 60_000, "c")).isFalse();
        assertThat(storesIf(0, now + 60_000, "c")).isTrue();
        // A row from before the server's clock was set back.
        one.instance.execute("INSERT INTO $ledger (state_id, event, event_id, at)"
                + " SETTINGS async_insert = 0 SELECT ?, 'done', ?, now64(3) + INTERVAL 5 MINUTE", id.value(),
                "d" + id.value());
        assertThat(storesIf(0, now + 60_000, "c", "d")).isFalse();
        assertThat(storesIf(0, now + 600_000, "c", "d")).isTrue();
    }

    /** The number of rows that the driver tells counts those of views, too. */
    @Test
    void aViewOnTheTableDoesNotMakeItSeemStored() {
        one.instance.ledger().append(List.of(Entry.write(id, "c" + id.value(), "", 0, 1, null, document("c"), 0)));
        one.instance.execute("CREATE MATERIALIZED VIEW " + one.instance.schema()
                + ".watch ENGINE = Memory AS SELECT count() AS n FROM $state");
        try {
            assertThat(storesIf(0, Long.MAX_VALUE / 1_000_000, "d")).isFalse();
        } finally {
            one.instance.execute("DROP TABLE " + one.instance.schema() + ".watch SYNC");
        }
    }

    private static String document(String event) {
        return "{\"" + event + "\":\"it's \\\\ {fn now()}\"}";
    }

    private long block(String event) {
        return one.instance.number("SELECT _block_number FROM $ledger WHERE event_id = ?", event + id.value());
    }

    private boolean storesIf(long block, long until, String... events) {
        StateRow row = new StateRow(id, null, document("c"), ++version);
        Tail tail = new Tail(block, Arrays.stream(events).map(event -> event + id.value()).toList(), 0, List.of(),
                false);
        boolean stored = one.store.settleIf(id, "c" + id.value(), row.version(), tail, until);
        StateRow there = one.store.read(List.of(id)).rows().get(id);
        assertThat(row.equals(there)).as("it is there").isEqualTo(stored);
        return stored;
    }

    private static Runnable once(Runnable action) {
        Consumer<Object> first = once(none -> action.run());
        return () -> first.accept(action);
    }

    private static <T> Consumer<T> once(Consumer<T> action) {
        AtomicBoolean done = new AtomicBoolean();
        return given -> {
            if (done.compareAndSet(false, true)) {
                action.accept(given);
            }
        };
    }
}

package dev.statehouse.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Event;
import dev.statehouse.ledger.FoldState;
import dev.statehouse.ledger.Folded;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.LedgerRow;
import dev.statehouse.ledger.Look;
import dev.statehouse.state.StateLog;
import dev.statehouse.state.StateRow;
import dev.statehouse.state.StateStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** The log on ClickHouse: what the fold stands on. The second channel is SQL of the test's own. */
class ClickHouseLedgerIT {

    private static TestInstance instance;
    private static Ledger ledger;
    private static StateStore store;

    private final StateId id = new StateId("ledger:" + UUID.randomUUID());
    private final StateId other = new StateId(id.value() + "/other");

    @BeforeAll
    static void open() {
        instance = TestInstance.open(TestInstance.freshSchema());
        ledger = instance.ledger();
        store = instance.store();
    }

    @AfterAll
    static void close() {
        instance.dropSchema();
        instance.close();
    }

    private static List<LedgerRow> sorted(Look look, StateId of) {
        return Objects.requireNonNull(look.rows().get(of)).stream().sorted().toList();
    }

    private static List<String> names(StateId of) {
        return sorted(ledger.look(List.of(of)), of).stream().map(LedgerRow::eventId).toList();
    }

    private static Entry write(StateId of, String eventId, @Nullable String content, long version) {
        return Entry.write(of, eventId, "", 0, version, null, content, 0);
    }

    @Test
    void rowsOfOneInsertAreOneBlockAndKeepTheirOrder() {
        List<Entry> entries = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        List<String> expectedOther = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String name = "e" + (97 * i % 60);
            boolean mine = i % 3 != 0;
            entries.add(i % 2 == 0 ? Entry.sign(mine ? id : other, name, "") : write(mine ? id : other, name, "{}", i));
            (mine ? expected : expectedOther).add(name);
        }
        ledger.append(entries);
        String blocks = "SELECT uniqExact(_block_number) FROM $ledger WHERE startsWith(state_id, ?)";
        assertThat(instance.number(blocks, id.value())).isEqualTo(1);
        assertThat(names(id)).isEqualTo(expected);
        assertThat(names(other)).isEqualTo(expectedOther);
        instance.execute("OPTIMIZE TABLE $ledger FINAL");
        assertThat(names(id)).as("after a merge").isEqualTo(expected);
        assertThat(names(other)).isEqualTo(expectedOther);
        assertThat(instance.number(blocks, id.value())).isEqualTo(1);
    }

    @Test
    void largeContentsToAreOneBlock() {
        String large = "{\"a\":\"" + "x".repeat(2_000_000) + "\"}";
        ledger.append(IntStream.range(0, 8).mapToObj(i -> write(id, "w" + i, large, i)).toList());
        assertThat(instance.number("SELECT uniqExact(_block_number) FROM $ledger WHERE state_id = ?", id.value()))
                .isEqualTo(1);
        assertThat(names(id)).containsExactly("w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7");
    }

    @Test
    void eachRowComesAsItWasAppended() {
        ledger.append(List.of(Entry.request(id, "r", "lock", "owner ☃ 'x' \\N {fn now()}", 86_400_000),
                Entry.write(id, "w", "lock", 5, 7, "{}", null, 123), Entry.breaking(id, "b", Long.MAX_VALUE),
                Entry.done(id, "d", "w")));
        Look look = ledger.look(List.of(id));
        List<LedgerRow> rows = sorted(look, id);
        assertThat(rows).extracting(LedgerRow::event)
                .containsExactly(Event.REQUEST, Event.WRITE, Event.BREAK, Event.DONE);
        assertThat(rows.getFirst().owner()).isEqualTo("owner ☃ 'x' \\N {fn now()}");
        assertThat(rows.getFirst().ttlMs()).isEqualTo(86_400_000);
        assertThat(rows.get(1)).extracting(LedgerRow::base, LedgerRow::version, LedgerRow::readAt, LedgerRow::lock)
                .containsExactly(5L, 7L, 123L, "lock");
        assertThat(rows.get(2).fencingToken()).isEqualTo(Long.MAX_VALUE);
        assertThat(rows.get(3).lock()).isEqualTo("w");
        assertThat(rows.getFirst().at()).isBetween(System.currentTimeMillis() - 60_000, look.serverTime());
        assertThat(look.serverTime()).isLessThan(System.currentTimeMillis() + 60_000);
    }

    @Test
    void aRowThatIsSentTwiceIsThereTwiceUnderOneName() {
        Entry entry = Entry.request(id, "once", "lock", "owner", 1_000);
        ledger.append(List.of(entry));
        ledger.append(List.of(entry));
        List<LedgerRow> rows = sorted(ledger.look(List.of(id)), id);
        assertThat(rows).extracting(LedgerRow::eventId).containsExactly("once", "once");
        assertThat(rows.get(0).position().block()).isLessThan(rows.get(1).position().block());
    }

    @Test
    void aThousandIdsAreOneLook() {
        List<StateId> ids = IntStream.range(0, 1_000)
                .mapToObj(i -> new StateId(
                        id.value() + "/" + "'\\é".repeat(200) + String.format("%04d", i)))
                .toList();
        ledger.append(
                ids.stream().map(each -> Entry.request(each, "of " + each.value(), "lock", "o", 60_000)).toList());
        Look look = ledger.look(ids);
        assertThat(look.rows()).hasSize(1_000);
        assertThat(look.fold(ids.get(999)).state().lastToken()).isPositive();
        assertThat(instance.log().read(ids).look().rows()).hasSize(1_000);
    }

    @Test
    void ofALongLogOnlyWhatIsAboveTheNewestSnapshotTravels() {
        ledger.append(List.of(Entry.request(id, "held", "lock", "owner", 3_600_000)));
        instance.execute("INSERT INTO $ledger (state_id, event, event_id) SETTINGS async_insert = 0"
                + " SELECT ?, 'wait', toString(number) FROM numbers(3000)", id.value());
        Folded before = ledger.look(List.of(id)).fold(id);
        assertThat(before.snapshotDue()).isTrue();
        ledger.append(List.of(Entry.snapshot(id, "older", before)));
        ledger.append(List.of(Entry.request(id, "waits", "another", "b", 1_000)));
        Folded newer = ledger.look(List.of(id)).fold(id);
        ledger.append(List.of(Entry.snapshot(id, "newer", newer)));
        ledger.append(List.of(Entry.sign(id, "last", "another")));
        for (int i = 0; i < 2; i++) {
            Look look = instance.ledger().look(List.of(id, other));
            assertThat(sorted(look, id)).hasSizeLessThanOrEqualTo(4)
                    .extracting(LedgerRow::eventId)
                    .contains("newer", "last");
            FoldState state = look.fold(id).state();
            assertThat(Objects.requireNonNull(state.holder()).lock()).isEqualTo("lock");
            assertThat(state.queue()).hasSize(1);
            assertThat(instance.log().read(List.of(id)).look().fold(id).state()).isEqualTo(state);
        }
    }

    @Test
    void theNextLookGoesOnFromTheLast() {
        for (int i = 0; i < 20; i++) {
            ledger.append(List.of(Entry.request(id, "r" + i, "lock" + i, "owner", 3_600_000)));
        }
        Folded first = ledger.look(List.of(id)).fold(id);
        ledger.append(List.of(Entry.release(id, "end", "lock0")));
        ledger.append(List.of(Entry.snapshot(id, "snapshot", first)));
        Look next = ledger.look(List.of(id));
        assertThat(sorted(next, id)).extracting(LedgerRow::eventId).containsExactly("r19", "end", "snapshot");
        assertThat(next.fold(id).state()).isEqualTo(instance.ledger().look(List.of(id)).fold(id).state());
        assertThat(next.serverTime()).isBetween(System.currentTimeMillis() - 60_000,
                System.currentTimeMillis() + 60_000);
        assertThat(names(id)).as("nothing new").containsExactly("snapshot");
    }

    /** Merging, and the loss of what was seen, must not change what the log says. */
    @Test
    void whatIsDoneToTheTableInBetweenIsSeen() {
        for (int i = 0; i < 20; i++) {
            ledger.append(List.of(Entry.request(id, "r" + i, "lock" + i, "owner", 3_600_000)));
        }
        ledger.look(List.of(id));
        ledger.append(List.of(Entry.release(id, "end", "lock0")));
        instance.execute("OPTIMIZE TABLE $ledger FINAL");
        assertThat(names(id)).as("merged").containsExactly("r19", "end");
        instance.execute(
                "ALTER TABLE $ledger DELETE WHERE state_id = ? AND event_id = 'r3' SETTINGS mutations_sync = 2",
                id.value());
        assertThat(names(id)).as("a row that a fold stands for").containsExactly("end");
        instance.execute(
                "ALTER TABLE $ledger DELETE WHERE state_id = ? AND event_id = 'end' SETTINGS mutations_sync = 2",
                id.value());
        assertThat(names(id)).as("the row that it ends at").hasSize(19);
        assertThat(Objects.requireNonNull(ledger.look(List.of(id)).fold(id).state().holder()).lock())
                .isEqualTo("lock0");
    }

    @Test
    void onceAMinuteTheWholeLogIsReadHoweverOftenItIsLookedAt() {
        try (TestInstance own = TestInstance.open(instance.schema())) {
            Ledger looking = own.ledger();
            List<Integer> travelled = new ArrayList<>();
            looking.append(List.of(Entry.request(id, "a", "lock", "o", 3_600_000)));
            looking.append(List.of(Entry.sign(id, "b", "")));
            for (int i = 0; i < 8; i++) {
                travelled.add(sorted(looking.look(List.of(id)), id).size());
                own.jump(Duration.ofSeconds(20));
            }
            assertThat(travelled).containsExactly(2, 1, 1, 2, 1, 1, 2, 1);
        }
    }

    @Test
    void aReadingGoesOnFromTheLastToo() {
        StateLog log = instance.log();
        ledger.append(List.of(Entry.request(id, "r", "lock", "owner", 3_600_000), write(id, "w", "{}", 1)));
        log.read(List.of(id));
        ledger.append(List.of(Entry.sign(id, "s", "")));
        store.write(List.of(new StateRow(id, null, "{\"a\":1}", 7)));
        StateLog.Reading next = log.read(List.of(id));
        assertThat(sorted(next.look(), id)).extracting(LedgerRow::eventId).containsExactly("r", "w", "s");
        assertThat(next.look().fold(id).state()).isEqualTo(ledger.look(List.of(id)).fold(id).state());
        assertThat(next.rows().get(id)).extracting(StateRow::version).isEqualTo(7L);
        assertThat(next.look().serverTime()).isBetween(System.currentTimeMillis() - 60_000,
                System.currentTimeMillis() + 60_000);
    }

    @Test
    void aLookBackCanTellWhatWasBeforeARowThatOthersSawAlready() {
        ledger.append(List.of(Entry.request(id, "r", "lock", "owner", 3_600_000)));
        ledger.look(List.of(id));
        long start = instance.time().nanos();
        ledger.append(List.of(Entry.release(id, "end", "lock")));
        for (int i = 0; i < 4; i++) {
            ledger.look(List.of(id));
            ledger.append(List.of(Entry.sign(id, "s" + i, "")));
        }
        assertThat(ledger.lookBack(id, start).before(id, "end")).hasValueSatisfying(
                before -> assertThat(before.holder()).isNotNull());
        assertThat(ledger.look(List.of(id)).before(id, "end")).isEmpty();
    }

    /** Numbers of blocks start anew with the table, so that rows of lower numbers may be newer. */
    @Test
    void ofALogThatWasEmptiedNothingIsRemembered() {
        try (TestInstance own = TestInstance.open(TestInstance.freshSchema())) {
            Ledger emptied = own.ledger();
            for (String lock : List.of("one", "two", "three")) {
                emptied.append(List.of(Entry.request(id, "of " + lock, lock, "owner", 3_600_000)));
            }
            assertThat(emptied.look(List.of(id)).fold(id).state().queue()).hasSize(2);
            own.execute("TRUNCATE TABLE $ledger SYNC");
            assertThat(emptied.look(List.of(id)).fold(id).state().holder()).isNull();
            for (String lock : List.of("four", "five", "six", "seven")) {
                emptied.append(List.of(Entry.request(id, "of " + lock, lock, "owner", 3_600_000)));
            }
            assertThat(Objects.requireNonNull(emptied.look(List.of(id)).fold(id).state().holder()).lock())
                    .isEqualTo("four");
            own.dropSchema();
        }
    }

    @Test
    void whatCameInBetweenIsAskedForAnewWhereItIsTooMuch() {
        ledger.append(List.of(Entry.request(id, "r", "lock", "owner", 3_600_000)));
        ledger.look(List.of(id));
        instance.execute("INSERT INTO $ledger (state_id, event, event_id) SETTINGS async_insert = 0"
                + " SELECT ?, 'wait', toString(number) FROM numbers(3000)", id.value());
        ledger.append(List.of(Entry.release(id, "end", "lock")));
        FoldState state = ledger.look(List.of(id)).fold(id).state();
        assertThat(state.holder()).isNull();
        assertThat(state).isEqualTo(instance.ledger().look(List.of(id)).fold(id).state());
    }

    /** Each row of the log is appended after the row before it was stored, so that whoever sees it has to see that one. */
    @Test
    void readingGivesTheLogFirstAndThenTheRow() throws Exception {
        StateLog log = instance.log();
        AtomicBoolean over = new AtomicBoolean();
        Thread writer = Thread.ofVirtual().start(() -> {
            for (long n = 1; !over.get(); n++) {
                ledger.append(List.of(write(id, "w" + n, "{}", n)));
                store.write(List.of(new StateRow(id, null, "{\"n\":" + n + "}", n)));
            }
        });
        long newest = 0;
        long end = System.nanoTime() + 2_000_000_000L;
        while (newest < 5 || System.nanoTime() < end) {
            StateLog.Reading reading = log.read(List.of(id));
            long announced = reading.look()
                    .rows()
                    .getOrDefault(id, List.of())
                    .stream()
                    .mapToLong(LedgerRow::version)
                    .max()
                    .orElse(0);
            StateRow row = reading.rows().get(id);
            newest = row == null ? 0 : row.version();
            assertThat(newest).as("read after the log, which said %d", announced).isGreaterThanOrEqualTo(announced - 1);
        }
        over.set(true);
        writer.join();
    }

    @Test
    void readingTellsTheTimeAlsoWhereThereIsNothing() {
        StateLog.Reading reading = instance.log().read(List.of(id));
        assertThat(reading.rows()).isEmpty();
        assertThat(reading.look().rows()).isEmpty();
        assertThat(reading.look().serverTime()).isBetween(System.currentTimeMillis() - 60_000,
                System.currentTimeMillis() + 60_000);
    }

    static List<String> contents() {
        return List.of("{\"q\":\"{fn now()} {d '2020-01-01'} {ts 'x'}\"}", "{\"a\":\"\\u0000\\\\ \\\" \\n\"}",
                "{\"☃\":\"😀 é\u2028\"}", "{\"a\":\"? ?? :p {p:String} $1 \\\\N '' `x` -- /* */ ;\"}",
                "{\"n\":9007199254740993,\"d\":1.10,\"e\":1E400}",
                "{\"a\":\"" + "x'\\\\é".repeat(400_000) + "\"}");
    }

    @ParameterizedTest
    @MethodSource("contents")
    void settlingCopiesBytesExactlyAndTwiceIsOnce(String content) {
        ledger.append(
                List.of(Entry.write(id, "other", "", 0, 1_700_000_000_001L, null, "{\"wrong\":1}", 0),
                        Entry.write(id, "mine", "", 0, 1_700_000_000_123L, content, content, 0)));
        assertThat(ledger.storedVersion(id)).isZero();
        ledger.settle(id, "mine");
        ledger.settle(id, "mine");
        assertThat(ledger.storedVersion(id)).isEqualTo(1_700_000_000_123L);
        assertThat(store.read(List.of(id)).rows().get(id))
                .isEqualTo(new StateRow(id, content, content, 1_700_000_000_123L));
        assertThat(
                instance.number("SELECT count() FROM $state FINAL WHERE state_id = ? AND length(completed_state) = ?",
                        id.value(), content.getBytes(java.nio.charset.StandardCharsets.UTF_8).length))
                .isEqualTo(1);
    }

    @Test
    void settlingNullHalvesAndWhatWasForgotten() {
        ledger.append(List.of(Entry.write(id, "gone", "", 0, 2_000, null, null, 0)));
        ledger.settle(id, "gone");
        assertThat(store.read(List.of(id)).rows().get(id)).isEqualTo(new StateRow(id, null, null, 2_000));
        ledger.settle(other, "never there");
        assertThat(store.read(List.of(other)).rows()).isEmpty();
    }

    private void row(String suffix, String event, String lock, long ttlMs, String at) {
        instance.execute("INSERT INTO $ledger (state_id, event, event_id, lock, ttl_ms, at) SETTINGS async_insert = 0"
                + " SELECT ?, ?, ?, ?, ?, " + at, id.value() + suffix, event, UUID.randomUUID().toString(), lock,
                ttlMs);
    }

    @Test
    void lockCandidatesAreAllThatMayBeHeld() {
        row(":request", "request", "l", 10_800_000, "now64(3) - INTERVAL 2 HOUR");
        row(":renewed", "request", "l", 1_000, "now64(3) - INTERVAL 2 HOUR");
        row(":renewed", "renew", "l", 86_400_000, "now64(3) - INTERVAL 119 MINUTE");
        row(":claimed", "claim", "l", 0, "now64(3) - INTERVAL 5 SECOND");
        row(":expired", "request", "l", 3_600_000, "now64(3) - INTERVAL 2 HOUR");
        row(":written", "write", "", 0, "now64(3)");
        Glob all = new Glob(id.value() + "*");
        assertThat(ledger.lockCandidates(all, null, 100))
                .extracting(found -> found.value().substring(id.value().length()))
                .containsExactly(":claimed", ":renewed", ":request");
        assertThat(ledger.lockCandidates(all, new StateId(id.value() + ":claimed"), 1))
                .containsExactly(new StateId(id.value() + ":renewed"));
        assertThat(ledger.lockCandidates(new Glob(id.value() + ":r?n*"), null, 100)).hasSize(1);
        Look look = ledger.look(List.of(new StateId(id.value() + ":request"), new StateId(id.value() + ":renewed")));
        assertThat(look.fold(new StateId(id.value() + ":request")).state().holderAt(look.serverTime())).isPresent();
    }

    @Test
    void anUnknownEventIsNotPassedOver() {
        row("", "invented", "", 0, "now64(3)");
        assertThatThrownBy(() -> ledger.look(List.of(id))).hasStackTraceContaining("invented");
    }

    /** It tells, with the whole statement, of each one that it cannot read: at every look that would fill the log. */
    @Test
    void theDriverReadsEveryStatement() {
        ListAppender<ILoggingEvent> told = new ListAppender<>();
        told.start();
        Logger logger = (Logger) LoggerFactory.getLogger("com.clickhouse");
        logger.addAppender(told);
        try {
            ledger.append(List.of(Entry.request(id, "r", "l", "o", 1), write(id, "w", "{}", 1)));
            ledger.look(List.of(id));
            instance.log().read(List.of(id));
            ledger.storedVersion(id);
            ledger.settle(id, "w");
            ledger.lockCandidates(Glob.ALL, null, 1);
            ofALongLogOnlyWhatIsAboveTheNewestSnapshotTravels();
            store.read(List.of(id));
            store.list(Glob.ALL, null, 10);
            store.page(Glob.ALL, null, 10, 1_000);
            store.count(Glob.ALL);
            store.unreadable(Glob.ALL, 1);
            store.write(List.of(new StateRow(id, null, "{}", 1)));
        } finally {
            logger.detachAppender(told);
        }
        // Other tests run beside this one, and their driver may have reasons to tell.
        assertThat(told.list).filteredOn(event -> event.getThreadName().equals(Thread.currentThread().getName()))
                .extracting(ILoggingEvent::getFormattedMessage)
                .isEmpty();
    }
}

package dev.statehouse.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Event;
import dev.statehouse.ledger.LedgerRow;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Position;
import dev.statehouse.ledger.Tail;
import dev.statehouse.ledger.Time;
import dev.statehouse.testing.TestTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Whatever comes between, is sent twice, is told late or is merged: where the log is found to end as is remembered, by its
 * rows or by their number alone, it holds nothing of another that was not seen.
 */
class TailModelTest {

    private static final StateId ID = new StateId("its");
    private static final StateId OTHER = new StateId("other");

    @Test
    void aLogThatEndsAsRememberedHoldsNothingUnseen() {
        long first = new Random().nextLong();
        System.out.println("Tail: seeds from " + first);
        int byRows = 0;
        int byNumber = 0;
        for (long seed = first; seed < first + 3_000; seed++) {
            Model model = new Model(seed);
            model.run();
            byRows += model.byRows;
            byNumber += model.byNumber;
        }
        assertThat(byRows).as("found by rows").isGreaterThan(3_000);
        assertThat(byNumber).as("found by number").isGreaterThan(3_000);
    }

    private record Row(long block, StateId id, String eventId, boolean foreign) {}

    /** Rows of this instance on their way to the log, and of how long. */
    private record Sent(List<Entry> entries, long sentAt, boolean landed) {}

    private static final class Model {

        private final long seed;
        private final Random random;
        private final Time time = new TestTime();
        private final WriteMemory memory = new WriteMemory(time);
        private final List<Row> log = new ArrayList<>();
        /** The last block of each part. */
        private final TreeSet<Long> parts = new TreeSet<>();
        private final Set<String> seen = new HashSet<>();
        private final boolean busy;
        private @Nullable Sent underway;
        private long block = 10;
        private long looked;
        private int names;
        private int byRows;
        private int byNumber;

        Model(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.busy = random.nextBoolean();
        }

        void run() {
            look();
            for (int step = 0; step < 30; step++) {
                between();
                write();
            }
        }

        private boolean oneIn(int n) {
            return random.nextInt(n) == 0;
        }

        private String name() {
            return "e" + ++names;
        }

        private void append(StateId id, List<String> events, boolean foreign) {
            // A number is taken by an INSERT that fails as well.
            block += oneIn(8) ? 2 : 1;
            for (int times = oneIn(12) ? 2 : 1; times > 0; times--) {
                events.forEach(event -> log.add(new Row(block, id, event, foreign)));
            }
            parts.add(block);
        }

        private List<Entry> entries(int number) {
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                entries.add(Entry.done(ID, name(), "w"));
            }
            return entries;
        }

        private void land(List<Entry> entries) {
            append(ID, entries.stream().map(Entry::eventId).toList(), false);
        }

        /** Others, merges, and rows that this instance tells by themselves. */
        private void between() {
            for (int n = random.nextInt(3); n > 0; n--) {
                switch (random.nextInt(busy ? 8 : 60)) {
                    case 0 -> append(ID, List.of(name()), true);
                    case 1 -> append(oneIn(2) ? ID : OTHER, List.of(name(), name()), true);
                    case 2 -> append(OTHER, List.of(name()), true);
                    case 3 -> merge(new ArrayList<>(parts));
                    case 4 -> append(OTHER, List.of(name()), false);
                    case 5 -> forget(random.nextLong(looked + 1));
                    default -> tell();
                }
            }
        }

        /** What is old by now: it was there at the last look. */
        private void forget(long upto) {
            log.removeIf(row -> row.block() <= upto);
            parts.headSet(upto, true).clear();
        }

        /** What ends before the last of some parts in a row becomes that. */
        private void merge(List<Long> ends) {
            int from = random.nextInt(ends.size() + 1);
            int to = random.nextInt(from, ends.size() + 1);
            parts.removeAll(Set.copyOf(ends.subList(from, Math.max(from, to - 1))));
        }

        /** Each stage of it by itself, so that anything comes between. */
        private void tell() {
            Sent sent = underway;
            if (sent == null) {
                underway = new Sent(entries(1 + random.nextInt(2)), time.nanos(), false);
            } else if (!sent.landed()) {
                land(sent.entries());
                underway = new Sent(sent.entries(), sent.sentAt(), true);
            } else {
                memory.told(sent.entries(), sent.sentAt());
                underway = null;
            }
        }

        private void write() {
            Tail known = memory.recall(Set.of(ID)).map(sight -> sight.tails().get(ID)).orElse(null);
            memory.forget(Set.of(ID));
            List<Entry> own = entries(1 + random.nextInt(2));
            between();
            land(own);
            if (oneIn(12)) {
                land(own);
            }
            between();
            if (known == null || oneIn(8) || !found(known.with(own), own)) {
                look();
            }
        }

        private boolean found(Tail tail, List<Entry> own) {
            boolean byNumber = holdsAsMany(tail);
            boolean byRows = holdsTheSame(tail);
            if (!byNumber && !byRows) {
                return false;
            }
            this.byNumber += byNumber ? 1 : 0;
            this.byRows += byRows ? 1 : 0;
            assertThat(log.stream().filter(row -> row.id().equals(ID) && row.foreign()).map(Row::eventId))
                    .as("seed %d: %s in %s, parts %s", seed, tail, log, parts)
                    .isSubsetOf(seen);
            keep(new Look(0, time.nanos(), Map.of()), byNumber ? tail.passed(own) : tail);
            return true;
        }

        private boolean holdsTheSame(Tail tail) {
            return log.stream()
                    .filter(row -> row.id().equals(ID) && row.block() >= tail.block())
                    .map(Row::eventId)
                    .sorted()
                    .toList()
                    .equals(tail.events().stream().sorted().toList());
        }

        private boolean holdsAsMany(Tail tail) {
            Long part = parts.floor(tail.block());
            return log.stream().filter(row -> row.block() > (part == null ? 0 : part)).count() == tail.appended()
                    .size();
        }

        private void look() {
            List<LedgerRow> rows = log.stream()
                    .filter(row -> row.id().equals(ID))
                    .map(row -> new LedgerRow(new Position(row.block(), 0), Event.DONE, row.eventId(), "", "", 0, 0, 0,
                            0, 0, 0, null, 0))
                    .toList();
            Look look = new Look(0, time.nanos(), Map.of(ID, rows));
            rows.forEach(row -> seen.add(row.eventId()));
            looked = block;
            if (oneIn(3)) {
                between();
            }
            Tail tail = Tail.of(look, ID);
            keep(look, tail);
        }

        private void keep(Look look, Tail tail) {
            memory.keep(look, look.fold(OTHER).state(), tail, new StateRow(ID, null, "{}", 1));
        }
    }
}

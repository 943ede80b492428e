package dev.statehouse.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.UUID;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Tail;
import dev.statehouse.state.StateRow;
import dev.statehouse.state.StateStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a write announced is stored if as many rows came after a block as are known, whatever they are. */
class SettleIfQuietIT {

    private static final long EVER = 4_000_000_000_000L;
    private static final String DOCUMENT = "{\"a\":\"it's \\\\ {fn now()} ? ?? \uD83D\uDE00 \"}";

    private static TestInstance instance;
    private static StateStore store;

    private final StateId id = new StateId("quiet:" + UUID.randomUUID());
    private long version = 1_700_000_000_000L;

    @BeforeAll
    static void open() {
        instance = TestInstance.open(TestInstance.freshSchema());
        store = instance.store();
    }

    @AfterAll
    static void close() {
        instance.dropSchema();
        instance.close();
    }

    private Entry write(String event, @Nullable String partial, @Nullable String completed) {
        return Entry.write(id, event + id.value(), "", 0, 1, partial, completed, 0);
    }

    private Entry done(StateId of, String event) {
        return Entry.done(of, event + id.value(), "w");
    }

    private void append(Entry... entries) {
        instance.ledger().append(List.of(entries));
    }

    private long block(String event) {
        return instance.number("SELECT _block_number FROM $ledger WHERE event_id = ?", event + id.value());
    }

    private boolean settles(long after, int rows) {
        return settles(after, rows, EVER, null, DOCUMENT);
    }

    private boolean settles(long after, int rows, long until, @Nullable String partial, @Nullable String completed) {
        StateRow row = new StateRow(id, partial, completed, ++version);
        Tail tail = new Tail(after, List.of("its own"), 1, Collections.nCopies(rows, "an event"), true);
        boolean settled = store.settleIfQuiet(id, version, tail, until);
        StateRow there = store.read(List.of(id)).rows().get(id);
        assertThat(row.equals(there)).as("it is there").isEqualTo(settled);
        return settled;
    }

    @Test
    void asManyRowsAreKnownAsCame() {
        append(done(id, "a"));
        append(done(id, "b"), write("c", null, DOCUMENT));
        assertThat(settles(block("a"), 2)).isTrue();
        assertThat(settles(block("a"), 1)).as("one more").isFalse();
        assertThat(settles(block("a"), 3)).as("one less").isFalse();
        assertThat(settles(block("a") - 1, 3)).as("from further back").isTrue();
        append(done(id, "d"));
        assertThat(settles(block("a"), 2)).as("one that came since").isFalse();
        assertThat(settles(block("a"), 3)).isTrue();
    }

    @Test
    void aRowOfAnyIdIsOneMore() {
        append(done(id, "a"));
        append(write("b", null, DOCUMENT));
        append(done(new StateId(id.value() + ":other"), "c"));
        assertThat(settles(block("a"), 1)).isFalse();
    }

    @Test
    void onlyWhereTheyWereMergedWithOlderOnesItSaysNo() {
        append(done(id, "a"));
        append(done(id, "b"));
        long block = block("b");
        instance.execute("OPTIMIZE TABLE $ledger FINAL");
        append(write("c", null, DOCUMENT));
        assertThat(settles(block, 1)).as("what is older was merged").isTrue();
        instance.execute("OPTIMIZE TABLE $ledger FINAL");
        assertThat(settles(block, 1)).isFalse();
        append(done(id, "d"));
        assertThat(settles(block, 2)).isFalse();
    }

    @Test
    void itDoesNotRunLate() {
        append(done(id, "a"));
        append(write("b", null, DOCUMENT));
        long now = instance.number("SELECT toUnixTimestamp64Milli(now64(3))");
        assertThat(settles(block("a"), 1, now - 1, null, DOCUMENT)).isFalse();
        assertThat(settles(block("a"), 1, now + 60_000, null, DOCUMENT)).isTrue();
        // A row from before the server's clock was set back.
        instance.execute("INSERT INTO $ledger (state_id, event, event_id, at)"
                + " SETTINGS async_insert = 0 SELECT ?, 'done', ?, now64(3) + INTERVAL 5 MINUTE", id.value(),
                "c" + id.value());
        assertThat(settles(block("a"), 2, now + 60_000, null, DOCUMENT)).isFalse();
        assertThat(settles(block("a"), 2, now + 600_000, null, DOCUMENT)).isTrue();
    }

    @Test
    void bothHalvesAreAsTheyWereAnnounced() {
        append(done(id, "a"));
        assertThat(settlesAsAnnounced("{\"p\":1}", DOCUMENT)).isTrue();
        assertThat(settlesAsAnnounced(DOCUMENT, null)).isTrue();
        assertThat(settlesAsAnnounced(null, null)).as("a deletion").isTrue();
    }

    private boolean settlesAsAnnounced(@Nullable String partial, @Nullable String completed) {
        String event = "w" + version;
        append(done(id, "before " + event), write(event, partial, completed), done(id, "after " + event));
        return settles(block(event) - 1, 3, EVER, partial, completed);
    }

    /** The number of rows that the driver tells counts those of views, too. */
    @Test
    void aViewOnTheTableDoesNotMakeItSeemStored() {
        append(done(id, "a"));
        append(write("b", null, DOCUMENT));
        instance.execute("CREATE MATERIALIZED VIEW " + instance.schema()
                + ".watch ENGINE = Memory AS SELECT count() AS n FROM $state");
        try {
            assertThat(settles(block("a"), 2)).isFalse();
        } finally {
            instance.execute("DROP TABLE " + instance.schema() + ".watch SYNC");
        }
    }
}

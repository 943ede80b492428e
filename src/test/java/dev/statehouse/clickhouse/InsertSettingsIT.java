package dev.statehouse.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.state.StateRow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Parts of a few rows are written without indexes, which are made when they are merged. */
class InsertSettingsIT {

    private final TestInstance instance = TestInstance.open(TestInstance.freshSchema());

    @AfterEach
    void close() {
        instance.dropSchema();
        instance.close();
    }

    private long indexed(String table) {
        return instance.number("SELECT countIf(secondary_indices_compressed_bytes > 0) FROM system.parts WHERE active"
                + " AND database = ? AND table = ? AND max_block_number > 1", instance.schema(), table);
    }

    private static Entry sign(int n) {
        return Entry.sign(new StateId("id-" + n), UUID.randomUUID().toString(), "");
    }

    private static StateRow row(int n) {
        return new StateRow(new StateId("id-" + n), null, "{}", 1_700_000_000_000L + n);
    }

    @Test
    void fewRowsAreWrittenWithoutIndexesUntilTheyAreMerged() {
        for (int n = 0; n < 3; n++) {
            instance.ledger().append(List.of(sign(n), sign(n + 1)));
            instance.store().write(List.of(row(n)));
        }
        assertThat(indexed("state_ledger")).isZero();
        assertThat(indexed("state")).isZero();
        for (String table : List.of("state_ledger", "state")) {
            instance.execute("OPTIMIZE TABLE " + instance.schema() + "." + table + " FINAL");
            assertThat(indexed(table)).as(table).isEqualTo(1);
        }
    }

    @Test
    void manyRowsHaveThemAtOnce() {
        instance.ledger().append(List.of(sign(0)));
        instance.store().write(List.of(row(0)));
        instance.ledger().append(IntStream.range(0, 200).mapToObj(InsertSettingsIT::sign).toList());
        instance.store().write(IntStream.range(0, 200).mapToObj(InsertSettingsIT::row).toList());
        assertThat(indexed("state_ledger")).isEqualTo(1);
        assertThat(indexed("state")).isEqualTo(1);
    }

    @Test
    void whatTheServerDoesNotKnowIsLeftOut() {
        try (TestTables tables = TestTables.open()) {
            InsertSettings settings = new InsertSettings("no_such_setting = 1");
            settings.ask(tables.jdbc);
            assertThat(settings.more(1)).isEmpty();
            settings = new InsertSettings();
            assertThat(settings.more(1)).as("before it is known").isEmpty();
            settings.ask(tables.jdbc);
            assertThat(settings.more(1)).contains("materialize_skip_indexes_on_insert = 0");
        }
    }
}

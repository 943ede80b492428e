package dev.statehouse.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import dev.statehouse.id.StateId;
import org.junit.jupiter.api.Test;

/** What a look says of the time before a row. */
class LookTest {

    private static final StateId ID = new StateId("a");

    private static Look look(List<LedgerRow> rows) {
        return new Look(TestLog.T0, 0, Map.of(ID, rows));
    }

    @Test
    void beforeTheReleaseTheHolderHeld() {
        TestLog log = new TestLog().request("r", 0, "a", 60_000).release(10, "a");
        String release = log.rows().getLast().eventId();
        assertThat(look(log.rows()).before(ID, release)).hasValueSatisfying(
                before -> assertThat(before.holderAt(TestLog.T0)).isPresent());
    }

    /** Of a long log only the rows above the newest snapshot travel, and that may have been put there behind the row. */
    @Test
    void aSnapshotBehindTheRowStandsForWhatLiesBeforeIt() {
        TestLog log = new TestLog().request("r", 0, "a", 60_000);
        Folded folded = log.folded();
        log.release(10, "a");
        String release = log.rows().getLast().eventId();
        log.snapshot(11, folded.upto(), folded.snapshot()).forget(0);
        assertThat(look(log.rows()).before(ID, release)).hasValueSatisfying(
                before -> assertThat(before.holderAt(TestLog.T0)).isPresent());
    }

    @Test
    void aSnapshotThatStandsForTheRowToldNothingOfTheTimeBefore() {
        TestLog log = new TestLog().request("r", 0, "a", 60_000).release(10, "a");
        String release = log.rows().getLast().eventId();
        Folded folded = log.folded();
        log.snapshot(11, folded.upto(), folded.snapshot());
        assertThat(look(log.rows()).before(ID, release)).isEmpty();
    }

    @Test
    void anEarlierFoldStandsForTheRowsUpToItsBlock() {
        TestLog log = new TestLog().request("r", 0, "a", 60_000);
        Folded earlier = log.folded();
        log.release(10, "a");
        List<LedgerRow> since = log.rows().subList(1, 2);
        Look look = new Look(TestLog.T0, 0, Map.of(ID, since), Map.of(ID, earlier));
        assertThat(look.fold(ID)).isEqualTo(log.folded());
        assertThat(look.before(ID, log.rows().getLast().eventId())).hasValueSatisfying(
                before -> assertThat(before.holderAt(TestLog.T0)).isPresent());
        Look later = new Look(TestLog.T0, 0, Map.of(ID, log.rows()), Map.of(ID, log.folded()));
        assertThat(later.fold(ID)).isEqualTo(log.folded());
        assertThat(later.before(ID, log.rows().getLast().eventId())).as("it stands for the release").isEmpty();
    }
}

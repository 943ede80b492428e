package dev.statehouse.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SnapshotCodecTest {

    private static final FoldState FULL = new FoldState(7, new Holder("a", "o \"\u0000\u00e9", 6, 5, 65, 60, true),
            List.of(new Place("b", "p", 50, "r2", 4), new Place("c", "q", 40, "r3", 3)),
            Map.of("d", new Ending(Ending.How.LOST, 2)), 6,
            new CountedWrite("w1", 1, new Position(8, 9), 10, 11, "a", true), Map.of("w1", 11L), Map.of("w2", 12L),
            Map.of("r4", 13L));

    /** Snapshots of an earlier release stand in tables: a change of this text is a change of the rules' version. */
    private static final String TEXT = """
            {"log_time":7,"last_token":6,\
            "holder":{"lock":"a","owner":"o \\"\\u0000\u00e9","token":6,"acquired_at":5,"expires_at":65,"ttl_ms":60,\
            "provisional":true},\
            "queue":[{"lock":"b","owner":"p","ttl_ms":50,"event_id":"r2","seen_at":4},\
            {"lock":"c","owner":"q","ttl_ms":40,"event_id":"r3","seen_at":3}],\
            "ended":{"d":{"how":"lost","at":2}},\
            "last":{"event_id":"w1","version":1,"block":8,"offset":9,"at":10,"judged_at":11,"lock":"a","done":true},\
            "counted":{"w1":11},"failed":{"w2":12},"taken_back":{"r4":13}}""";

    @Test
    void theTextIsFixed() {
        assertThat(SnapshotCodec.write(FULL)).isEqualTo(TEXT);
        assertThat(SnapshotCodec.read(TEXT)).isEqualTo(FULL);
    }

    @Test
    void nothingIsKeptAsNothing() {
        assertThat(SnapshotCodec.read(SnapshotCodec.write(FoldState.EMPTY))).isEqualTo(FoldState.EMPTY);
    }

    @Test
    void aTextThatLacksAnythingIsRefused() {
        for (String name : List.of("log_time", "last_token", "queue", "ended", "counted", "failed", "taken_back",
                "token",
                "seen_at", "judged_at", "provisional", "how")) {
            assertThatIllegalArgumentException().as(name)
                    .isThrownBy(() -> SnapshotCodec.read(TEXT.replace("\"" + name + "\"", "\"other\"")));
        }
    }

    @Test
    void eventsAreStoredByTheirSmallNames() {
        assertThat(Arrays.stream(Event.values()).map(Event::stored)).containsExactly("request", "wait", "leave",
                "claim",
                "renew", "release", "break", "write", "done", "snapshot", "mark");
        assertThat(Arrays.stream(Event.values()).map(event -> Event.ofStored(event.stored())))
                .containsExactly(Event.values());
        assertThatIllegalArgumentException().isThrownBy(() -> Event.ofStored("Request"))
                .withMessageContaining("Request");
    }
}

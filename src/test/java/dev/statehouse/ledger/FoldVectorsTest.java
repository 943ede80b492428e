package dev.statehouse.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The vectors: rows of one id and what the fold of all of them gives. The system property
 * {@code statehouse.fold.vectors} names another file of the same form.
 */
class FoldVectorsTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TestFactory
    Stream<DynamicTest> vectors() throws IOException {
        String file = System.getProperty("statehouse.fold.vectors", "");
        try (InputStream in = file.isEmpty()
                ? getClass().getResourceAsStream("/cases/fold.json")
                : Files.newInputStream(Path.of(file))) {
            List<JsonNode> vectors = JSON.readTree(in).valueStream().toList();
            assertThat(vectors).isNotEmpty();
            return vectors.stream()
                    .map(vector -> DynamicTest.dynamicTest(vector.required("name").stringValue(),
                            () -> assertThat(fold(vector)).isEqualTo(vector.required("expect"))));
        }
    }

    private static JsonNode fold(JsonNode vector) {
        List<Holder> grants = new ArrayList<>();
        List<String> counted = new ArrayList<>();
        List<LedgerRow> rows = vector.required("rows").valueStream().map(FoldVectorsTest::row).toList();
        FoldState state = Fold.of(rows, new Fold.Trace() {

            @Override
            public void granted(Holder holder) {
                grants.add(holder);
            }

            @Override
            public void counted(CountedWrite write) {
                counted.add(write.eventId());
            }
        }).state();
        return readBack(json(state, grants, counted));
    }

    private static ObjectNode json(FoldState state, List<Holder> grants, List<String> counted) {
        ObjectNode json = JSON.createObjectNode();
        json.put("log_time", state.logTime());
        Holder holder = state.holder();
        if (holder == null) {
            json.putNull("holder");
        } else {
            json.putObject("holder")
                    .put("lock", holder.lock())
                    .put("owner", holder.owner())
                    .put("fencing_token", holder.fencingToken())
                    .put("acquired_at", holder.acquiredAt())
                    .put("expires_at", holder.expiresAt());
        }
        ArrayNode queue = json.putArray("queue");
        state.queue().forEach(place -> queue.add(place.lock()));
        ObjectNode ended = json.putObject("ended");
        state.ended().forEach((lock, ending) -> ended.put(lock, ending.how().name().toLowerCase(Locale.ROOT)));
        ArrayNode granted = json.putArray("grants");
        grants.forEach(g -> granted.addObject().put("lock", g.lock()).put("fencing_token", g.fencingToken()));
        ArrayNode writes = json.putArray("counted");
        counted.forEach(writes::add);
        CountedWrite last = state.last();
        if (last == null) {
            json.putNull("last");
        } else {
            json.putObject("last")
                    .put("event_id", last.eventId())
                    .put("version", last.version())
                    .put("done",
                            last.done());
        }
        return json;
    }

    /** So that 1 and 1L compare as the numbers in the file do. */
    private static JsonNode readBack(JsonNode json) {
        return JSON.readTree(json.toString());
    }

    private static LedgerRow row(JsonNode json) {
        return new LedgerRow(new Position(number(json, "block"), number(json, "offset")),
                Event.ofStored(text(json, "event")), text(json, "event_id"), text(json, "lock"), text(json, "owner"),
                number(json, "ttl_ms"), number(json, "fencing_token"), number(json, "base"), number(json, "version"),
                number(json, "read_at"), 0, null, number(json, "at"));
    }

    private static String text(JsonNode json, String name) {
        return json.path(name).asString("");
    }

    private static long number(JsonNode json, String name) {
        return json.path(name).asLong(0);
    }
}

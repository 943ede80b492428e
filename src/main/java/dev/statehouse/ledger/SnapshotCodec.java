package dev.statehouse.ledger;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The text of a snapshot: compact JSON with all of a {@link FoldState}. The names are spelled out here, not taken from the
 * classes, because rows outlive a release.
 */
final class SnapshotCodec {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private SnapshotCodec() {}

    static String write(FoldState state) {
        ObjectNode json = JSON.createObjectNode();
        json.put("log_time", state.logTime());
        json.put("last_token", state.lastToken());
        Holder holder = state.holder();
        if (holder != null) {
            json.putObject("holder")
                    .put("lock", holder.lock())
                    .put("owner", holder.owner())
                    .put("token", holder.fencingToken())
                    .put("acquired_at", holder.acquiredAt())
                    .put("expires_at", holder.expiresAt())
                    .put("ttl_ms", holder.ttlMs())
                    .put("provisional", holder.provisional());
        }
        ArrayNode queue = json.putArray("queue");
        for (Place place : state.queue()) {
            queue.addObject()
                    .put("lock", place.lock())
                    .put("owner", place.owner())
                    .put("ttl_ms", place.ttlMs())
                    .put("event_id", place.eventId())
                    .put("seen_at", place.seenAt());
        }
        ObjectNode ended = json.putObject("ended");
        state.ended()
                .forEach((lock, ending) -> ended.putObject(lock)
                        .put("how", ending.how().name().toLowerCase(Locale.ROOT))
                        .put("at", ending.at()));
        CountedWrite last = state.last();
        if (last != null) {
            json.putObject("last")
                    .put("event_id", last.eventId())
                    .put("version", last.version())
                    .put("block", last.position().block())
                    .put("offset", last.position().offset())
                    .put("at", last.at())
                    .put("judged_at", last.judgedAt())
                    .put("lock", last.lock())
                    .put("done", last.done());
        }
        writeTimes(json.putObject("counted"), state.counted());
        writeTimes(json.putObject("failed"), state.failed());
        writeTimes(json.putObject("taken_back"), state.takenBack());
        return JSON.writeValueAsString(json);
    }

    /** @throws IllegalArgumentException if the text is no snapshot */
    static FoldState read(@Nullable String text) {
        try {
            JsonNode json = JSON.readTree(text == null ? "" : text);
            List<Place> queue = StreamSupport.stream(json.required("queue").spliterator(), false)
                    .map(SnapshotCodec::place)
                    .toList();
            return new FoldState(number(json, "log_time"), optional(json, "holder", SnapshotCodec::holder), queue,
                    map(json, "ended", SnapshotCodec::ending), number(json, "last_token"),
                    optional(json, "last", SnapshotCodec::countedWrite), map(json, "counted", JsonNode::longValue),
                    map(json, "failed", JsonNode::longValue), map(json, "taken_back", JsonNode::longValue));
        } catch (JacksonException e) {
            throw new IllegalArgumentException("A snapshot in the ledger cannot be read.", e);
        }
    }

    private static Holder holder(JsonNode json) {
        return new Holder(text(json, "lock"), text(json, "owner"), number(json, "token"), number(json, "acquired_at"),
                number(json, "expires_at"), number(json, "ttl_ms"), flag(json, "provisional"));
    }

    private static Place place(JsonNode json) {
        return new Place(text(json, "lock"), text(json, "owner"), number(json, "ttl_ms"), text(json, "event_id"),
                number(json, "seen_at"));
    }

    private static Ending ending(JsonNode json) {
        return new Ending(Ending.How.valueOf(text(json, "how").toUpperCase(Locale.ROOT)), number(json, "at"));
    }

    private static CountedWrite countedWrite(JsonNode json) {
        return new CountedWrite(text(json, "event_id"), number(json, "version"),
                new Position(number(json, "block"), number(json, "offset")), number(json, "at"),
                number(json, "judged_at"), text(json, "lock"), flag(json, "done"));
    }

    private static void writeTimes(ObjectNode json, Map<String, Long> times) {
        times.forEach((eventId, time) -> json.put(eventId, time));
    }

    private static <T> @Nullable T optional(JsonNode json, String name, Function<JsonNode, T> reader) {
        JsonNode part = json.get(name);
        return part == null ? null : reader.apply(part);
    }

    private static <T> Map<String, T> map(JsonNode json, String name, Function<JsonNode, T> reader) {
        Map<String, T> map = new LinkedHashMap<>();
        json.required(name).properties().forEach(entry -> map.put(entry.getKey(), reader.apply(entry.getValue())));
        return map;
    }

    private static String text(JsonNode json, String name) {
        return json.required(name).stringValue();
    }

    private static long number(JsonNode json, String name) {
        return json.required(name).longValue();
    }

    private static boolean flag(JsonNode json, String name) {
        return json.required(name).booleanValue();
    }
}

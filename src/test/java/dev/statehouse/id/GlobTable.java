package dev.statehouse.id;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What Python's fnmatch answers, from {@code fnmatch/table.jsonl}; {@code generate.py} beside it wrote that file. */
public final class GlobTable {

    private static final JsonMapper JSON = new JsonMapper();

    /**
     * One pattern and the answers for some ids.
     *
     * @param hits ids that match
     * @param misses ids that do not
     */
    public record Line(String pattern, List<StateId> hits, List<StateId> misses) {}

    private GlobTable() {}

    public static List<Line> load() {
        try (InputStream in = Objects.requireNonNull(GlobTable.class.getResourceAsStream("/fnmatch/table.jsonl"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().map(GlobTable::line).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Line line(String text) {
        JsonNode line = JSON.readTree(text);
        return new Line(line.get(0).stringValue(), ids(line.get(1)), ids(line.get(2)));
    }

    private static List<StateId> ids(JsonNode texts) {
        return StreamSupport.stream(texts.spliterator(), false).map(text -> new StateId(text.stringValue())).toList();
    }
}

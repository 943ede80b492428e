package dev.statehouse.json;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;

import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON at random, as a list of tokens, and a second opinion on what it means. */
final class JsonRandom {

    private static final String[] SCALARS = {"null", "true", "false", "0", "-0.0", "1.10", "1E400", "-1e-7",
            "9007199254740993", "123456789012345678901234567890", "\"\"", "\"x\"", "\"a b, {c}: [d]\"", "\"\\u0000\"",
            "\"\\ud800\"", "\"\\/\\\\\\\"\"", "\"🎉é\"", "\"\\\\\"", "\"2024-01-01T00:00:00Z\""};
    private static final String[] KEYS = {"a", "b", "c", "d", "bookmarks", "", "é", "🎉", "with space", "q\\\"uote",
            "\\u0000", "back\\\\slash", "\\ud83d", "a\\/b", "{", "]", ":"};
    private static final String[] SPACES = {" ", "\n", "\t", "\r\n", "    "};

    /** Keeps number text apart, as far as that can be told from a number: 1.10 is not 1.1. */
    private static final JsonMapper MAPPER = JsonMapper.builder(new JsonFactory())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS,
                    DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final Random random;

    JsonRandom(long seed) {
        this.random = new Random(seed);
    }

    /** Seeds for parameterized tests, which print them: new ones in every run, or {@code -Dseed=…} to see one again. */
    static LongStream seeds() {
        Long given = Long.getLong("seed");
        return given == null ? new Random().longs(300) : LongStream.of(given);
    }

    static JsonNode tree(String text) {
        return MAPPER.readTree(text);
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    String scalar() {
        return pick(SCALARS);
    }

    /** Tokens of an object at most so deep. */
    List<String> object(int depth) {
        List<String> tokens = new ArrayList<>(List.of("{"));
        Set<String> keys = new HashSet<>();
        for (int i = below(6); i > 0; i--) {
            String key = pick(KEYS);
            if (keys.add(key)) {
                tokens.addAll(List.of("\"" + key + "\"", ":"));
                tokens.addAll(value(depth));
                tokens.add(",");
            }
        }
        return closed(tokens, "}");
    }

    private List<String> array(int depth) {
        List<String> tokens = new ArrayList<>(List.of("["));
        for (int i = below(4); i > 0; i--) {
            tokens.addAll(value(depth));
            tokens.add(",");
        }
        return closed(tokens, "]");
    }

    List<String> value(int depth) {
        return switch (depth == 0 ? 9 : below(10)) {
            case 0, 1, 2, 3, 4 -> object(depth - 1);
            case 5, 6 -> array(depth - 1);
            default -> List.of(scalar());
        };
    }

    private static List<String> closed(List<String> tokens, String end) {
        if (tokens.getLast().equals(",")) {
            tokens.removeLast();
        }
        tokens.add(end);
        return tokens;
    }

    String compactObject() {
        return String.join("", object(5));
    }

    /** The tokens with white space before, between and behind them. */
    String spaced(List<String> tokens) {
        StringBuilder text = new StringBuilder();
        for (String token : tokens) {
            text.append(below(2) == 0 ? pick(SPACES) : "").append(token);
        }
        return text.append(below(2) == 0 ? pick(SPACES) : "").toString();
    }

    byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private String pick(String[] from) {
        return from[below(from.length)];
    }
}

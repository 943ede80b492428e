package dev.statehouse.json;

import static dev.statehouse.json.Merge.merge;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class MergeTest {

    private static final String SEEDS = "dev.statehouse.json.JsonRandom#seeds";
    private static final JsonObject EMPTY = JsonObject.parse("{}");

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', value = {
            // what it is for: bookmarks of single streams
            "{\"s\":{\"b\":{\"x\":{\"at\":1},\"y\":{\"at\":2}}}}; {\"s\":{\"b\":{\"y\":{\"at\":3}}}}; {\"s\":{\"b\":{\"x\":{\"at\":1},\"y\":{\"at\":3}}}}",
            // order: the base's keys stay where they are, new ones follow
            "{\"z\":1,\"a\":2}; {\"n\":0,\"a\":3,\"m\":0,\"z\":4}; {\"z\":4,\"a\":3,\"n\":0,\"m\":0}",
            // number text
            "{\"a\":1.10,\"b\":1E400}; {\"c\":9007199254740993}; {\"a\":1.10,\"b\":1E400,\"c\":9007199254740993}",
            // null and lists are values like any other
            "{\"a\":1,\"b\":[1,2]}; {\"a\":null,\"b\":[3]}; {\"a\":null,\"b\":[3]}",
            "{\"a\":[{\"x\":1}]}; {\"a\":[{\"y\":1}]}; {\"a\":[{\"y\":1}]}",
            // an object onto anything else, and anything else onto an object
            "{\"a\":null}; {\"a\":{\"x\":1}}; {\"a\":{\"x\":1}}", "{\"a\":\"s\"}; {\"a\":{}}; {\"a\":{}}",
            "{\"a\":[1]}; {\"a\":{\"x\":1}}; {\"a\":{\"x\":1}}", "{\"a\":{\"x\":1}}; {\"a\":5}; {\"a\":5}",
            "{\"a\":{\"x\":1}}; {\"a\":null}; {\"a\":null}", "{\"a\":{\"x\":1}}; {\"a\":[]}; {\"a\":[]}",
            // empty objects
            "{\"a\":{}}; {\"a\":{\"x\":1}}; {\"a\":{\"x\":1}}", "{\"a\":{\"x\":1}}; {\"a\":{}}; {\"a\":{\"x\":1}}",
            "{\"a\":1}; {\"b\":{}}; {\"a\":1,\"b\":{}}", "{}; {\"a\":1}; {\"a\":1}", "{\"a\":1}; {}; {\"a\":1}",
            // one key in two spellings is one key, in the base's spelling
            "{\"\\u0061\":1}; {\"a\":2}; {\"\\u0061\":2}", "{\"a\":1}; {\"\\u0061\":2}; {\"a\":2}"})
    void mergesDeep(String base, String patch, String merged) {
        assertThat(merge(JsonObject.parse(base), JsonObject.parse(patch)).text()).isEqualTo(merged);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void isWhatTheNaiveMergeOfTreesGives(long seed) {
        JsonRandom random = new JsonRandom(seed);
        String base = random.compactObject();
        String patch = random.compactObject();
        String merged = merge(JsonObject.parse(base), JsonObject.parse(patch)).text();
        JsonNode expected = naive((ObjectNode) JsonRandom.tree(base), (ObjectNode) JsonRandom.tree(patch));
        // as texts, since trees are equal in any order of their keys
        assertThat(JsonRandom.tree(merged)).as("seed %d: %s onto %s", seed, patch, base)
                .hasToString(expected.toString());
        assertThat(JsonValue.parse(merged).text()).as("seed %d", seed).isEqualTo(merged);
    }

    private static ObjectNode naive(ObjectNode base, ObjectNode patch) {
        ObjectNode merged = base.deepCopy();
        patch.forEachEntry((key, value) -> merged.set(key,
                merged.get(key) instanceof ObjectNode old && value instanceof ObjectNode changes
                        ? naive(old, changes)
                        : value));
        return merged;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void nothingComesOfNothingAndOfTheSame(long seed) {
        JsonObject object = JsonObject.parse(new JsonRandom(seed).compactObject());
        assertThat(merge(object, EMPTY)).as("seed %d", seed).isEqualTo(object);
        assertThat(merge(EMPTY, object)).as("seed %d", seed).isEqualTo(object);
        assertThat(merge(object, object)).as("seed %d", seed).isEqualTo(object);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void aPatchTwiceIsAPatchOnce(long seed) {
        JsonRandom random = new JsonRandom(seed);
        JsonObject patch = JsonObject.parse(random.compactObject());
        JsonObject once = merge(JsonObject.parse(random.compactObject()), patch);
        assertThat(merge(once, patch)).as("seed %d", seed).isEqualTo(once);
    }

    /** Only as long as no key has an object in one and something else in another. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void patchesMayBeMergedFirst(long seed) {
        JsonRandom random = new JsonRandom(seed);
        JsonObject a = objectUnderUpperCase(random);
        JsonObject b = objectUnderUpperCase(random);
        JsonObject c = objectUnderUpperCase(random);
        assertThat(merge(merge(a, b), c)).as("seed %d: %s, %s, %s", seed, a, b, c).isEqualTo(merge(a, merge(b, c)));
    }

    private static JsonObject objectUnderUpperCase(JsonRandom random) {
        return JsonObject.parse(objectUnderUpperCase(random, 4));
    }

    private static String objectUnderUpperCase(JsonRandom random, int depth) {
        return "ABCxyz".chars()
                .filter(c -> random.below(2) == 0)
                .mapToObj(c -> "\"%c\":%s".formatted(c,
                        Character.isLowerCase(c)
                                ? random.scalar()
                                : depth == 0
                                        ? "{}"
                                        : objectUnderUpperCase(random, depth - 1)))
                .collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    void takesDeepAndWideObjects() {
        String deep = "{\"a\":".repeat(499) + "{\"%s\":1}" + "}".repeat(499);
        assertThat(merge(JsonObject.parse(deep.formatted("x")), JsonObject.parse(deep.formatted("y"))).text())
                .isEqualTo("{\"a\":".repeat(499) + "{\"x\":1,\"y\":1}" + "}".repeat(499));
        assertThat(merge(wide(0, 300_000, 1), wide(150_000, 450_000, 1))).isEqualTo(wide(0, 450_000, 1));
    }

    private static JsonObject wide(int from, int to, int value) {
        return JsonObject.parse(IntStream.range(from, to)
                .mapToObj(i -> "\"k%d\":{\"v\":%d}".formatted(i, value))
                .collect(Collectors.joining(",", "{", "}")));
    }
}

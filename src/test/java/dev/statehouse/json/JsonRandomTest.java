package dev.statehouse.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JsonRandomTest {

    private static final String SEEDS = "dev.statehouse.json.JsonRandom#seeds";

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void whiteSpaceChangesNothing(long seed) {
        JsonRandom random = new JsonRandom(seed);
        List<String> tokens = random.value(6);
        String compact = String.join("", tokens);
        JsonValue parsed = JsonValue.parse(random.spaced(tokens).getBytes(StandardCharsets.UTF_8));
        assertThat(parsed.text()).as("seed %d", seed).isEqualTo(compact);
        assertThat(JsonRandom.tree(parsed.text())).as("seed %d", seed).isEqualTo(JsonRandom.tree(compact));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void fieldsAreWhatJacksonReads(long seed) {
        JsonObject object = JsonObject.parse(new JsonRandom(seed).compactObject());
        JsonNode tree = JsonRandom.tree(object.text());
        assertThat(object.fields().keySet()).as("seed %d", seed).containsExactlyElementsOf(tree.propertyNames());
        for (Map.Entry<String, JsonValue> field : object.fields().entrySet()) {
            JsonNode expected = tree.get(field.getKey());
            assertThat(JsonRandom.tree(field.getValue().text())).as("seed %d", seed).isEqualTo(expected);
            assertThat(field.getValue().kind()).hasToString(expected.getNodeType().name());
            assertThat(object.hasObject(field.getKey())).as("seed %d", seed).isEqualTo(expected.isObject());
            if (expected.isString()) {
                assertThat(field.getValue().asString()).as("seed %d", seed).isEqualTo(expected.stringValue());
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void aKeyThatStandsTwiceIsFoundAnywhere(long seed) {
        JsonRandom random = new JsonRandom(seed);
        StringBuilder members = new StringBuilder();
        int size = 1 + random.below(20);
        for (int i = 0; i < size; i++) {
            members.append("\"k%d\":%s,".formatted(i, String.join("", random.value(2))));
        }
        String again = random.below(2) == 0 ? "k" : "\\u006b";
        String text = "{" + members + "\"" + again + random.below(size) + "\":" + random.scalar() + "}";
        for (int depth = random.below(8); depth > 0; depth--) {
            text = random.below(2) == 0 ? "[" + random.scalar() + "," + text + "]" : "{\"k0\":" + text + "}";
        }
        String duplicate = text;
        InvalidInput thrown = catchThrowableOfType(InvalidInput.class, () -> JsonValue.parse(duplicate));
        assertThat(thrown).as("seed %d: %s", seed, text).isNotNull();
        assertThat(thrown.code()).isEqualTo(ProblemCode.DUPLICATE_KEY);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void garbageIsRefusedOrKept(long seed) {
        JsonRandom random = new JsonRandom(seed);
        assertRefusedOrKept(seed, random.bytes(random.below(40)));
        byte[] bytes = random.spaced(random.object(4)).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 50; i++) {
            byte[] broken = Arrays.copyOf(bytes, random.below(10) == 0 ? random.below(bytes.length) : bytes.length);
            if (broken.length > 0) {
                byte[] other = random.below(2) == 0 ? bytes : random.bytes(1);
                broken[random.below(broken.length)] = other[random.below(other.length)];
            }
            assertRefusedOrKept(seed, broken);
        }
    }

    private static void assertRefusedOrKept(long seed, byte[] bytes) {
        JsonValue value;
        try {
            value = JsonValue.parse(bytes);
        } catch (InvalidInput e) {
            return;
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        // not as exact as JsonRandom.tree, which cannot take the exponents that come up here
        JsonMapper mapper = new JsonMapper();
        assertThat(mapper.readTree(value.text())).as("seed %d: %s", seed, text).isEqualTo(mapper.readTree(text));
        assertThat(JsonValue.parse(value.text()).text()).as("seed %d: %s", seed, text).isEqualTo(value.text());
    }
}

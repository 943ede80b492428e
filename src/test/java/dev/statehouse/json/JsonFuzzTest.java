package dev.statehouse.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/** Bytes that want to be JSON, against {@link PlainJson}. In a build the inputs that are kept, by {@code .ci/fuzz} more. */
class JsonFuzzTest {

    private static final Set<ProblemCode> DOCUMENTED = Set.of(ProblemCode.NOT_JSON, ProblemCode.DUPLICATE_KEY,
            ProblemCode.JSON_LIMIT);

    @FuzzTest
    void json(byte[] bytes) {
        PlainJson expected = PlainJson.read(unicode(bytes));
        JsonValue value;
        try {
            value = JsonValue.parse(bytes);
        } catch (InvalidInput refused) {
            assertThat(DOCUMENTED).as(refused.getMessage()).contains(refused.code());
            assertThat(String.valueOf(refused.getMessage()).codePoints())
                    .noneMatch(c -> Character.getType(c) == Character.SURROGATE);
            if (expected.isJson()) {
                assertThat(refused.code() == ProblemCode.DUPLICATE_KEY && expected.hasKeyTwice()
                        || refused.code() == ProblemCode.JSON_LIMIT && expected.isOverALimit())
                        .as("%s, but it is JSON", refused.getMessage())
                        .isTrue();
            }
            return;
        }
        assertThat(expected.isJson()).as("taken, but it is no JSON: %s", value).isTrue();
        assertThat(expected.hasKeyTwice() || expected.depth() > JsonCheck.MAX_DEPTH).as(value.text()).isFalse();
        assertThat(value.text()).isEqualTo(expected.compact());
        assertThat(JsonValue.parse(value.text()).text()).isEqualTo(value.text());
        if (value.kind() == JsonValue.Kind.OBJECT) {
            fieldsMakeTheObject(value.asObject("It"));
        }
    }

    /** Cutting an object at its keys loses nothing. */
    private static void fieldsMakeTheObject(JsonObject object) {
        StringBuilder values = new StringBuilder();
        object.fields().forEach((key, value) -> {
            assertThat(JsonValue.parse(value.text()).text()).isEqualTo(value.text());
            assertThat(object.hasObject(key)).isEqualTo(value.kind() == JsonValue.Kind.OBJECT);
            values.append(value.text());
        });
        assertThat(object.text()).hasSizeGreaterThanOrEqualTo(values.length() + 2);
        assertThat(JsonObject.parse(object.text())).isEqualTo(object);
    }

    /** @return null if it is none */
    private static @Nullable String unicode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}

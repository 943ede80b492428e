package dev.statehouse.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonObjectTest {

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', value = {"null; A state must be a JSON object; this is null.",
            "[{}]; A state must be a JSON object; this is of type array.",
            "\"{}\"; A state must be a JSON object; this is of type string. If it holds JSON, send that itself, not its text in a string."})
    void refusesWhatIsNoObject(String text, String part1, String part2) {
        InvalidInput thrown = catchThrowableOfType(InvalidInput.class, () -> JsonObject.parse(text));
        assertThat(thrown.code()).isEqualTo(ProblemCode.NOT_AN_OBJECT);
        assertThat(thrown).hasMessage(part1 + "; " + part2);
    }

    @Test
    void emptyIsTheSameAsNull() {
        assertThat(JsonObject.parse(" { } ").isEmpty()).isTrue();
        assertThat(JsonObject.nullIfEmpty(JsonObject.parse(" { } "))).isNull();
        assertThat(JsonObject.nullIfEmpty(null)).isNull();
        JsonObject full = JsonObject.parse("{\"\":0}");
        assertThat(full.isEmpty()).isFalse();
        assertThat(JsonObject.nullIfEmpty(full)).isSameAs(full);
    }

    @Test
    void givesItsFieldsInOrder() {
        JsonObject object = JsonObject
                .parse("{\"z\": {\"q\":[1,\"}\"]}, \"a\\n\": \"x\", \"\": -1.50, \"n\":null, \"l\":[ ]}");
        assertThat(object.fields()).hasToString("{z={\"q\":[1,\"}\"]}, a\n=\"x\", =-1.50, n=null, l=[]}");
        assertThat(JsonObject.parse("{}").fields()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', value = {"{\"singer_state\":{}}; true",
            "{\"a\":[{}],\"singer\\u005fstate\":{\"b\":1}}; true", "{}; false", "{\"singer_state\":null}; false",
            "{\"singer_state\":\"{}\"}; false", "{\"a\":{\"singer_state\":{}}}; false",
            "{\"a\":\"singer_state\"}; false"})
    void looksForAnObjectAtTheTop(String text, boolean there) {
        assertThat(JsonObject.parse(text).hasObject("singer_state")).isEqualTo(there);
    }

    @Test
    void isItsText() {
        assertThat(JsonObject.parse("{\"a\": 1}")).isEqualTo(JsonObject.parse("{\"a\":1}"))
                .hasToString("{\"a\":1}")
                .hasSameHashCodeAs(JsonObject.parse("{\"a\":1}"))
                .isNotEqualTo(JsonObject.parse("{\"a\":1.0}"));
    }
}

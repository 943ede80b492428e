package dev.statehouse.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonValueTest {

    private static AbstractThrowableAssert<?, InvalidInput> assertRefused(String text, ProblemCode code) {
        InvalidInput thrown = catchThrowableOfType(InvalidInput.class, () -> JsonValue.parse(text));
        assertThat(thrown).as(text).isNotNull();
        assertThat(thrown.code()).as(text).isEqualTo(code);
        assertThat(thrown.detail()).doesNotContain("JsonReadFeature")
                .doesNotContain("Constraints")
                .doesNotContain("Source:")
                .hasSizeLessThan(400);
        assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(thrown.detail())).isTrue();
        return assertThat(thrown);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"n\":9007199254740993,\"d\":1.10,\"e\":1E400,\"z\":-0.0}",
            "{\"z\":1,\"a\":2,\"10\":3,\"9\":4}", "{\"s\":\"\\u0000\\ud800\\/\\u00e9 é 🎉\\\\\"}", "{\"\\u0061\":1}",
            "[1,[],{},\"\"]", "\" \\\" \"", "null", "-1"})
    void keepsWhatWasWritten(String text) {
        assertThat(JsonValue.parse(text).text()).isEqualTo(text);
        assertThat(JsonValue.parse(text.getBytes(StandardCharsets.UTF_8)).text()).isEqualTo(text);
    }

    @Test
    void dropsWhiteSpaceBetweenTokensOnly() {
        assertThat(JsonValue.parse("\r\n{ \"a b\" :\t[ 1 , \" \\\" , \" ] }\n").text())
                .isEqualTo("{\"a b\":[1,\" \\\" , \"]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "{", "{\"a\":", "{\"a\":NaN}", "{\"a\":Infinity}", "{\"a\":-Infinity}",
            "{\"a\":01}", "{\"a\":-01}", "{\"a\":1,}", "[1,]", "[1,,2]", "[,1]", "{'a':1}", "{a:1}", "{\"a\":tru}",
            "{\"a\":.5}", "{\"a\":+1}", "1.", "1e", "-", "0x1", "\"a\nb\"", "\"a", "\"\\x\"", "\"\\u12g4\"", "{} {}",
            "{}x", "{}}", "1 2", "//c\n{}", "/*c*/{}", "#c\n{}", "\ufeff{}", "\u00a0{}", "\u000b{}", "🎉",
            "{\"a\" 1}", "{\"a\":1]", "{\"a\":1 \"b\":2}", "{\"a\":\"\u0000\"}", "{1:2}", "True", "undefined"})
    void refusesWhatIsNotJson(String text) {
        assertRefused(text, ProblemCode.NOT_JSON).hasMessageContaining(", at line ");
    }

    @Test
    void saysWhereItIsNotJson() {
        assertRefused("{\"a\":1,\n  \"b\":NaN}", ProblemCode.NOT_JSON)
                .hasMessageStartingWith("This is not JSON: Non-standard token 'NaN', at line 2, column ");
        assertRefused("", ProblemCode.NOT_JSON)
                .hasMessage("This is not JSON: it holds no value, at line 1, column 1.");
        assertRefused("{} {}", ProblemCode.NOT_JSON)
                .hasMessage("This is not JSON: there is more behind the value, at line 1, column 4.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', value = {"{\"a\":1,\"a\":1}; 'a'; /a,",
            "{\"a\":1,\"\\u0061\":2}; 'a'; /a,", "{\"x\":[0,{\"k\":{},\"l\":0,\"k\":{}}]}; 'k'; /x/1/k,",
            "{\"\":1,\"\":1}; ''; /,", "{\"🎉\":1,\"\\ud83c\\udf89\":1}; '🎉'; /🎉,",
            "{\"\\ud83c\":1,\"\\ud83c\":1}; '\uFFFD'; /\uFFFD,"})
    void refusesAKeyThatStandsTwice(String text, String key, String place) {
        assertRefused(text, ProblemCode.DUPLICATE_KEY).hasMessageContaining("The key " + key + " stands twice")
                .hasMessageContaining(place);
    }

    @Test
    void takesOneKeyInSeveralObjects() {
        String text = "{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]},\"b\":{\"a\":1}}";
        assertThat(JsonValue.parse(text).text()).isEqualTo(text);
    }

    @Test
    void hasLimits() {
        String deep = "[".repeat(500) + "]".repeat(500);
        assertThat(JsonValue.parse(deep).text()).isEqualTo(deep);
        assertRefused("[" + deep + "]", ProblemCode.JSON_LIMIT).hasMessageContaining("500");
        assertRefused("{\"a\":".repeat(100_000), ProblemCode.JSON_LIMIT);
        String number = "1".repeat(1000);
        assertThat(JsonValue.parse(number).text()).isEqualTo(number);
        assertRefused(number + "1", ProblemCode.JSON_LIMIT).hasMessageContaining("1000");
        String key = "k".repeat(50_000);
        assertThat(JsonValue.parse("{\"" + key + "\":1}").asObject("It").fields()).containsOnlyKeys(key);
        assertRefused("{\"" + key + "k\":1}", ProblemCode.JSON_LIMIT).hasMessageContaining("50000");
        assertRefused("{\"" + key + "\":1,\"" + key + "\":1}", ProblemCode.DUPLICATE_KEY);
    }

    @Test
    void takesLargeValues() {
        String string = "{\"s\":\"" + "é\\n".repeat(6_000_000) + "\"}";
        assertThat(JsonValue.parse(string.getBytes(StandardCharsets.UTF_8)).text()).isEqualTo(string);
        StringBuilder many = new StringBuilder("{\"k\":0");
        for (int i = 0; i < 1_000_000; i++) {
            many.append(",\n\"k").append(i).append("\": {\"v\":1}");
        }
        assertThat(JsonValue.parse(many.append('}').toString()).text()).hasSize(many.length() - 2_000_000);
    }

    @Test
    void refusesBytesThatAreNotUtf8() {
        byte[][] bad = {{'"', (byte) 0xFF, '"'}, {'"', (byte) 0xC0, (byte) 0x80, '"'},
                {'"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"'}, {'"', (byte) 0xE9, '"'}};
        for (byte[] bytes : bad) {
            InvalidInput thrown = catchThrowableOfType(InvalidInput.class, () -> JsonValue.parse(bytes));
            assertThat(thrown.code()).isEqualTo(ProblemCode.NOT_JSON);
            assertThat(thrown).hasMessage("JSON must be UTF-8, but the bytes at offset 1 are not.");
        }
        byte[] replacement = "\"\uFFFD\"".getBytes(StandardCharsets.UTF_8);
        assertThat(JsonValue.parse(replacement).asString()).isEqualTo("\uFFFD");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {"{}, OBJECT", "[], ARRAY", "\"1\", STRING", "-1, NUMBER", "0, NUMBER",
            "true, BOOLEAN", "false, BOOLEAN", "null, NULL"})
    void knowsItsKind(String text, JsonValue.Kind kind) {
        assertThat(JsonValue.parse(" " + text).kind()).isEqualTo(kind);
    }

    @Test
    void givesStringsAndWholeNumbers() {
        assertThat(JsonValue.parse("\"a\\u0000\\\"\\/🎉\\ud800\"").asString()).isEqualTo("a\u0000\"/🎉\ud800");
        assertThat(JsonValue.parse("\"plain\"").asString()).isEqualTo("plain");
        assertThatIllegalStateException().isThrownBy(() -> JsonValue.parse("1").asString());
        assertThat(JsonValue.parse("-9223372036854775808").asLong()).hasValue(Long.MIN_VALUE);
        // JSON Schema, and so the contract, knows no other difference between numbers than their value
        assertThat(JsonValue.parse("12.0").asLong()).hasValue(12);
        assertThat(JsonValue.parse("-1.20e1").asLong()).hasValue(-12);
        assertThat(JsonValue.parse("0e-999999999").asLong()).hasValue(0);
        for (String none : new String[]{"9223372036854775808", "1.5", "1e-1", "1E400", "1e99999999999", "-1e-999999999",
                "\"1\"", "null"}) {
            assertThat(JsonValue.parse(none).asLong()).as(none).isEmpty();
        }
    }
}

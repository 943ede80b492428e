package dev.statehouse.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The comparison must be able to say no. */
class HttpCasesTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "{\"a\":1}|{\"a\":1,\"b\":2}|true|false", "{\"a\":1}|{\"a\":1}|true|true",
            "{\"a\":1}|{\"a\":2}|false|false",
            "{\"a\":1}|{\"a\":1.0}|false|false", "{\"a\":1}|{\"a\":\"1\"}|false|false", "{\"a\":null}|{}|false|false",
            "{\"a\":null}|{\"a\":null}|true|true", "[1,2]|[1,2]|true|true", "[1,2]|[2,1]|false|false",
            "[1]|[1,2]|false|false", "{\"a\":{\"b\":[{}]}}|{\"a\":{\"b\":[{\"c\":1}]}}|true|false",
            "{}|[]|false|false", "3|3|true|true", "true|1|false|false", "3000000000|3000000000|true|true"})
    void tellsWhatIsWantedFromWhatIsNot(String want, String got, boolean subset, boolean exact) {
        assertThat(HttpCases.difference(Contract.JSON.readTree(want), Contract.JSON.readTree(got), false, "$") == null)
                .isEqualTo(subset);
        assertThat(HttpCases.difference(Contract.JSON.readTree(want), Contract.JSON.readTree(got), true, "$") == null)
                .isEqualTo(exact);
    }
}

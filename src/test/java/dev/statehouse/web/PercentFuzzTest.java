package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Pattern;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;

/** What stands in a request's target: ids, and the query. */
class PercentFuzzTest {

    private static final Pattern ENCODED = Pattern.compile("(?:[^%]|%[0-9A-Fa-f]{2})*", Pattern.DOTALL);
    private static final ProblemCode CODE = ProblemCode.INVALID_PATH;

    @FuzzTest
    void target(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        assertThat(decoded(encoded(bytes, 1))).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length == bytes.length
                && new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1).equals(
                        new String(bytes, StandardCharsets.ISO_8859_1)) ? text : "(refused)");
        assertThat(decoded(encoded(text.getBytes(StandardCharsets.UTF_8), 2))).isEqualTo(text);
        String sent = new String(bytes, StandardCharsets.ISO_8859_1);
        String once = decoded(sent);
        if (!ENCODED.matcher(sent).matches()) {
            assertThat(once).isEqualTo("(refused)");
        } else if (sent.indexOf('%') < 0 && sent.chars().allMatch(c -> c < 0x80)) {
            assertThat(once).isEqualTo(sent);
        }
        query(sent);
        String name = encoded(text.getBytes(StandardCharsets.UTF_8), 1);
        assertThat(QueryString.parse(name + "=" + name).get(text)).isEqualTo(
                name.isEmpty() ? new String[]{""} : new String[]{text});
    }

    private static void query(String sent) {
        try {
            Map<String, String[]> parameters = QueryString.parse(sent);
            assertThat(parameters.values()).allMatch(values -> values.length == 1);
        } catch (InvalidInput refused) {
            assertThat(refused.code()).isEqualTo(ProblemCode.INVALID_PARAMETER);
        }
    }

    private static String decoded(String sent) {
        try {
            return PercentDecoder.decode(sent, false, CODE, "path");
        } catch (InvalidInput refused) {
            assertThat(refused.code()).isEqualTo(CODE);
            return "(refused)";
        }
    }

    /** Each byte, or each of so many and those that have to be. */
    private static String encoded(byte[] bytes, int each) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bytes.length; i++) {
            boolean plain = bytes[i] > ' ' && bytes[i] < 0x7F && bytes[i] != '%';
            text.append(i % each == 0 || !plain
                    ? "%" + HexFormat.of().withUpperCase().toHexDigits(bytes[i])
                    : Character.toString(bytes[i]));
        }
        return text.toString();
    }
}

package dev.statehouse.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.statehouse.problem.SettingException;
import org.jspecify.annotations.Nullable;

/** URIs of ClickHouse: a good one means what was written into it, a bad one is refused without telling its password. */
class ClickHouseUriFuzzTest {

    private static final String SECRET = "Hunter2Xyzzy";

    @FuzzTest
    void uri(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        whatIsEncodedComesBack(text.split("\n", -1));
        if (text.contains(SECRET)) {
            return; // a fuzzer finds out what is compared with, and it is no secret in another place
        }
        quiet(text);
        int middle = text.offsetByCodePoints(0, text.codePointCount(0, text.length()) / 2);
        quiet("clickhouse://user:" + text.substring(0, middle) + SECRET + text.substring(middle) + "@host/database");
        quiet("clickhouse://user:" + SECRET + "@" + text);
        quiet("clickhouse://" + text.substring(0, middle) + ":" + text.substring(middle) + SECRET + "@host/database");
    }

    private static void whatIsEncodedComesBack(String[] parts) {
        if (parts.length != 4) {
            return;
        }
        ClickHouseUri uri = ClickHouseUri.parse("clickhouse://" + encoded(parts[0]) + ":" + encoded(parts[1]) + "@"
                + encoded(parts[2]) + ":1/" + encoded(parts[3]) + "?schema=" + encoded(parts[0]) + "&table="
                + encoded(parts[1]));
        String[] read = {uri.user(), uri.password(), uri.host(), uri.database()};
        for (int i = 0; i < 4; i++) {
            assertThat(read[i]).isEqualTo(orNull(parts[i]));
        }
        assertThat(uri.schema()).isEqualTo(uri.user());
        assertThat(uri.table()).isEqualTo(uri.password());
        assertThat(uri.port()).isEqualTo("1");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /** Whatever it is, nothing that may reach a log shows the secret. */
    private static void quiet(String uri) {
        try {
            ClickHouseProperties properties = new ClickHouseProperties(uri, null, null, null, "someone", null, null,
                    null, null, Duration.ofSeconds(5), 8);
            assertThat(properties.toString()).doesNotContain(SECRET);
            assertThat(ClickHouseUri.parse(uri).toString()).doesNotContain(SECRET);
            ClickHouseAddress address = ClickHouseAddress.of(properties);
            assertThat(address + address.jdbcUrl()).doesNotContain(SECRET);
        } catch (SettingException refused) {
            assertThat(refused.getMessage() + refused.action() + refused).doesNotContain(SECRET);
        }
    }
}

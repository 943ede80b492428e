package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClickHouseAddressTest {

    private static ClickHouseProperties properties(@Nullable String uri, Map<String, String> parts) {
        return new ClickHouseProperties(uri, parts.get("host"), parts.get("port"), parts.get("database"),
                parts.get("user"), parts.get("password"), parts.get("secure"), parts.get("schema"), parts.get("table"),
                Duration.ofSeconds(5), 8);
    }

    private static ClickHouseAddress of(String uri) {
        return ClickHouseAddress.of(properties(uri, Map.of()));
    }

    private static SettingException refused(@Nullable String uri, Map<String, String> parts) {
        SettingException refused = catchThrowableOfType(SettingException.class, () -> {
            ClickHouseProperties properties = properties(uri, parts);
            ClickHouseAddress.of(properties);
            TableName.of(properties);
        });
        assertThat(refused).as("refused").isNotNull();
        return refused;
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {
            "clickhouse://u:p@h:9/db h 9 db u p false",
            "clickhouse://u:p@h/db h 8123 db u p false",
            "clickhouse://u:p@h/db?secure=true h 8443 db u p true",
            "clickhouse://u:p@h/db?secure=0 h 8123 db u p false",
            "ClickHouse://u:p@h:9/db/ h 9 db u p false",
            "clickhouse://u@h/db h 8123 db u '' false",
            "clickhouse://u:@h/db h 8123 db u '' false",
            "clickhouse://u:p@/db localhost 8123 db u p false",
            "clickhouse://u:p@[::1]:9/db ::1 9 db u p false",
            "clickhouse://u:p@[fe80::1%25eth0]/db fe80::1%eth0 8123 db u p false",
            "clickhouse://u%40x:p%3A%2F%40%25%23%3F+%2B@h/d%2Fb h 8123 d/b u@x 'p:/@%#?++' false",
            "clickhouse://u:a:b@c@h/db h 8123 db u a:b@c false",
            "clickhouse://%C3%A9:%F0%9F%98%80@under_score/%C3%A9 under_score 8123 é é \uD83D\uDE00 false"})
    void readsUris(String uri, String host, int port, String database, String user, String password, boolean secure) {
        assertThat(of(uri)).isEqualTo(new ClickHouseAddress(host, port, database, user, password, secure));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {"host other", "port 1", "database d2", "user u2", "password p2",
            "secure true"})
    void eachPartIsOverriddenAlone(String part, String value) {
        ClickHouseAddress plain = of("clickhouse://u:p@h:9/db");
        ClickHouseAddress address = ClickHouseAddress.of(properties("clickhouse://u:p@h:9/db", Map.of(part, value)));
        assertThat(address).isNotEqualTo(plain).isEqualTo(switch (part) {
            case "host" -> new ClickHouseAddress(value, 9, "db", "u", "p", false);
            case "port" -> new ClickHouseAddress("h", 1, "db", "u", "p", false);
            case "database" -> new ClickHouseAddress("h", 9, value, "u", "p", false);
            case "user" -> new ClickHouseAddress("h", 9, "db", value, "p", false);
            case "password" -> new ClickHouseAddress("h", 9, "db", "u", value, false);
            default -> new ClickHouseAddress("h", 9, "db", "u", "p", true);
        });
    }

    @Test
    void partsAloneNameAClickHouse() {
        ClickHouseProperties parts = properties(null, Map.of("user", "u", "database", "d"));
        assertThat(parts.namesClickHouse()).isTrue();
        assertThat(ClickHouseAddress.of(parts))
                .isEqualTo(new ClickHouseAddress("localhost", 8123, "d", "u", "", false));
        assertThat(properties(null, Map.of("schema", "s", "table", "t")).namesClickHouse()).isFalse();
        assertThat(properties("", Map.of("host", "", "port", "tcp://10.0.0.1:8123")).namesClickHouse()).isFalse();
    }

    @Test
    void theTableIsWhereTheSettingsSay() {
        assertThat(TableName.of(properties(null, Map.of()))).isEqualTo(new TableName("meltano", "state"));
        assertThat(TableName.of(properties("clickhouse://u@h/d?schema=s&table=t", Map.of())))
                .isEqualTo(new TableName("s",
                        "t"));
        assertThat(TableName.of(properties("clickhouse://u@h/d?schema=s&table=t", Map.of("schema", "x", "table", "y"))))
                .isEqualTo(new TableName("x", "y"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"clickhouse://h/db|statehouse.clickhouse.user",
            "clickhouse://:p@h/db|statehouse.clickhouse.user", "clickhouse://u:p@h|statehouse.clickhouse.database",
            "clickhouse://u:p@h/|statehouse.clickhouse.database"})
    void whatIsMissingIsNamed(String uri, String setting) {
        assertThat(refused(uri, Map.of())).hasMessageContaining(setting);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"s3://u:secret@h/db|scheme 's3'", "http://u:secret@h/db|scheme 'http'",
            "u:secret@h/db|does not begin with clickhouse://",
            "clickhouse:u:secret@h|does not begin with clickhouse://",
            "clickhouse://u:secret@h/a/b|several segments", "clickhouse://u:secret@h/db#x|'#'",
            "clickhouse://u:secret%@h/db|in its password", "clickhouse://u:secret%zz@h/db|in its password",
            "clickhouse://u:secret%ff@h/db|not UTF-8", "clickhouse://u:secret@h/db?sequre=true|'sequre'",
            "clickhouse://u:secret@h/db?password=secret|'password'", "clickhouse://u:secret@h:x/db|port",
            "clickhouse://u:secret@h:0/db|port", "clickhouse://u:secret@h:65536/db|port",
            "clickhouse://u:secret@[::1/db|brackets", "clickhouse://u:secret@a b/db|host",
            "clickhouse://u:a?secret@h/db|an '@' behind", "clickhouse://u:a?b&secret=1@h/db|an '@' behind",
            "clickhouse://u:1/secret@h/db|an '@' behind", "clickhouse://u:secret@h/db?secure=@|an '@' behind",
            "clickhouse://u:secret@h/db?secure=maybe|secure", "clickhouse://u:secret@h/%0A|blank",
            "clickhouse://u:secret@h/a%01|control character"})
    void badUrisAreRefusedWithoutTellingThePassword(String uri, String words) {
        SettingException refused = refused(uri, Map.of());
        assertThat(refused).hasMessageContaining(words);
        assertThat(refused.getMessage() + refused.action() + refused).doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "a\u0000", "a\nb", "\u0085"})
    void namesHaveToBeNames(String name) {
        assertThat(refused("clickhouse://u@h/d", Map.of("table", name)))
                .hasMessageContaining("statehouse.clickhouse.table");
        assertThat(refused("clickhouse://u@h/d", Map.of("schema", name))).hasMessageContaining(
                "statehouse.clickhouse.schema");
        assertThat(refused("clickhouse://u@h/d", Map.of("database", name))).hasMessageContaining(
                "statehouse.clickhouse.database");
    }

    @Test
    void namesHaveToFitIntoAFileName() {
        assertThat(new TableName("s", "x".repeat(200)).table()).hasSize(200);
        assertThat(refused("clickhouse://u@h/d", Map.of("table", "x".repeat(201)))).hasMessageContaining("too long");
        assertThat(refused("clickhouse://u@h/d", Map.of("table", "é".repeat(34)))).hasMessageContaining("too long");
    }

    @Test
    void theNameIsQuoted() {
        assertThat(new TableName("a`b", "c\\d").sql()).isEqualTo("`a\\`b`.`c\\\\d`");
    }

    @Test
    void secretsAreInNoText() {
        ClickHouseProperties properties = properties("clickhouse://u:s3cret@h/db", Map.of("password", "hunter2"));
        assertThat(properties.toString()).doesNotContain("s3cret", "hunter2");
        assertThat(ClickHouseAddress.of(properties).toString()).contains("h:8123", "'u'").doesNotContain("hunter2");
        assertThat(ClickHouseUri.parse("clickhouse://u:s3cret@h/db").toString()).doesNotContain("s3cret");
        assertThat(ClickHouseAddress.of(properties).jdbcUrl()).doesNotContain("hunter2", "u@");
    }
}

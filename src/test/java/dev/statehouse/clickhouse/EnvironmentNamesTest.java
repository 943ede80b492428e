package dev.statehouse.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.commons.logging.impl.NoOpLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class EnvironmentNamesTest {

    private final List<String> warnings = new ArrayList<>();
    private final StandardEnvironment environment = new StandardEnvironment();

    private @Nullable String setting(String name, String... variables) {
        Map<String, Object> map = new HashMap<>();
        for (String variable : variables) {
            map.put(variable.substring(0, variable.indexOf('=')), variable.substring(variable.indexOf('=') + 1));
        }
        environment.getPropertySources()
                .replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                map));
        new EnvironmentNames(destination -> new NoOpLog() {

            @Override
            public void warn(Object message) {
                warnings.add(message.toString());
            }
        }).postProcessEnvironment(environment, new SpringApplication());
        return environment.getProperty("statehouse.clickhouse." + name);
    }

    @Test
    void theServicesOwnUriComesFirst() {
        assertThat(setting("uri", "STATE_BACKEND_URI=clickhouse://a", "MELTANO_STATE_BACKEND_URI=clickhouse://b"))
                .isEqualTo("clickhouse://a");
    }

    @Test
    void meltanosUriIsTaken() {
        assertThat(setting("uri", "MELTANO_STATE_BACKEND_URI=clickhouse://b")).isEqualTo("clickhouse://b");
        assertThat(warnings).isEmpty();
    }

    @Test
    void anotherBackendOfMeltanoIsPassedOverWithAWarning() {
        assertThat(setting("uri", "MELTANO_STATE_BACKEND_URI=s3://key:secret@bucket")).isNull();
        assertThat(warnings).singleElement()
                .asString()
                .contains("MELTANO_STATE_BACKEND_URI", "'s3'")
                .doesNotContain(
                        "secret", "key");
    }

    @Test
    void anotherSchemeInTheServicesOwnUriIsKeptToBeRefused() {
        assertThat(setting("uri", "STATE_BACKEND_URI=s3://bucket", "MELTANO_STATE_BACKEND_URI=clickhouse://b"))
                .isEqualTo("s3://bucket");
    }

    @Test
    void eachPartHasItsVariable() {
        for (String part : List.of("host", "port", "database", "user", "password", "secure", "schema", "table")) {
            assertThat(setting(part, "CLICKHOUSE_" + part.toUpperCase(java.util.Locale.ROOT) + "=x")).isEqualTo("x");
        }
    }

    @Test
    void emptyVariablesAndServiceLinksAreNone() {
        assertThat(setting("port", "CLICKHOUSE_PORT=tcp://10.0.0.1:8123")).isNull();
        assertThat(setting("host", "CLICKHOUSE_HOST=")).isNull();
        assertThat(setting("uri", "STATE_BACKEND_URI=  ", "MELTANO_STATE_BACKEND_URI=clickhouse://b")).isEqualTo(
                "clickhouse://b");
    }

    @Test
    void variablesWinOverFilesAndArgumentsOverVariables() {
        environment.getPropertySources()
                .addLast(new MapPropertySource("file", Map.of("statehouse.clickhouse.host", "file",
                        "statehouse.clickhouse.user", "file")));
        environment.getPropertySources()
                .addFirst(new MapPropertySource("arguments", Map.of(
                        "statehouse.clickhouse.database", "argument")));
        assertThat(setting("host", "CLICKHOUSE_HOST=variable", "CLICKHOUSE_DATABASE=variable")).isEqualTo("variable");
        assertThat(environment.getProperty("statehouse.clickhouse.user")).isEqualTo("file");
        assertThat(environment.getProperty("statehouse.clickhouse.database")).isEqualTo("argument");
    }

    @Test
    void springsOwnNamesOfVariablesComeBeforeTheAddOns() {
        setting("host", "CLICKHOUSE_HOST=add-on", "STATEHOUSE_CLICKHOUSE_HOST=own");
        assertThat(environment.getProperty("statehouse.clickhouse.host")).isEqualTo("own");
    }
}

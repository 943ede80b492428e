package dev.statehouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.unit.DataSize;

/** What is said of a setting whose value cannot be read. */
class UnreadableSettingTest {

    enum Color {
        RED, GREEN
    }

    record Settings(@DefaultValue("60s") Duration ttl, @DefaultValue("16MB") DataSize size,
            @DefaultValue("red") Color color, @DefaultValue("true") boolean on, @DefaultValue("1") int count) {}

    @ParameterizedTest
    @CsvSource({"ttl, sixty, '60s'", "size, 16mib, '16MB'", "color, blue, 'red or green'",
            "on, perhaps, 'true or false'",
            "count, many, 'a whole number'"})
    void isNamedWithItsValueAndHowToWriteIt(String name, String value, String hint) {
        Binder binder = new Binder(new MapConfigurationPropertySource(Map.of("thing." + name, value)));
        BindException failure = catchThrowableOfType(BindException.class, () -> binder.bind("thing", Settings.class));
        FailureAnalysis said = Objects.requireNonNull(
                new UnreadableSettingFailureAnalyzer().analyze(new IllegalStateException(failure)),
                () -> "about " + failure);
        assertThat(said.getDescription()).isEqualTo("The setting thing.%s is '%s', which cannot be read."
                .formatted(name, value));
        assertThat(said.getAction()).contains(hint);
    }
}

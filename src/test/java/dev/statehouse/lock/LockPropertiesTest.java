package dev.statehouse.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** What can be said about locks in the configuration. */
class LockPropertiesTest {

    private static LockProperties bound(Map<String, String> settings) {
        return new Binder(new MapConfigurationPropertySource(settings)).bindOrCreate("statehouse.lock",
                LockProperties.class);
    }

    @Test
    void defaults() {
        assertThat(bound(Map.of())).isEqualTo(new LockProperties(LockProperties.Strategy.LEDGER, Duration.ofSeconds(60),
                Duration.ofMillis(25), Duration.ofSeconds(1), Duration.ofSeconds(300), Duration.ofSeconds(30)));
    }

    /** The add-on's table forgets a row after 300 s, whoever still counts on it. */
    @Test
    void noRowCountsForLongerThanTheTableKeepsIt() {
        assertThat(bound(Map.of("statehouse.lock.stale-after", "300s", "statehouse.lock.settle", "60s")).staleAfter())
                .hasSeconds(300);
        assertThatThrownBy(() -> bound(Map.of("statehouse.lock.stale-after", "301s"))).rootCause()
                .hasMessageContaining("statehouse.lock.stale-after must be between 5000 ms and 300000 ms");
        assertThatThrownBy(() -> bound(Map.of("statehouse.lock.stale-after", "4s"))).rootCause()
                .hasMessageContaining("statehouse.lock.stale-after");
    }
}

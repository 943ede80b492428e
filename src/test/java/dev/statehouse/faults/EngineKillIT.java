package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.statehouse.testing.PrivateEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** ClickHouse is killed and started again under load. */
@Isolated
class EngineKillIT {

    private static final Duration TO_RECOVER = Duration.ofSeconds(20);

    private final History history = new History();

    @Test
    void nothingAcknowledgedIsLost(@TempDir Path folder) throws Exception {
        long seed = Runs.seed("engine killed");
        try (PrivateEngine engine = PrivateEngine.start(folder);
                Fleet fleet = new Fleet(engine.address(), "killed", List.of(Map.of(), Map.of()))) {
            MixedLoad load = new MixedLoad("kill", fleet::base, history, seed);
            load.during(Duration.ZERO, () -> {
                for (int i = 0; i < Runs.times(2); i++) {
                    Thread.sleep(1_500);
                    engine.kill();
                    assertThat(recovery(fleet)).isLessThan(TO_RECOVER);
                }
                Thread.sleep(1_000);
                return null;
            });
            history.calls()
                    .stream()
                    .map(Call::id)
                    .distinct()
                    .forEach(id -> new Client("last", () -> fleet.base(0),
                            history).read(id));
        }
        Runs.say(history.summary());
        history.check();
    }

    /** How long until a write is acknowledged again. */
    private Duration recovery(Fleet fleet) {
        long start = System.nanoTime();
        Client client = new Client("recovery", () -> fleet.base(1), history).patience(Duration.ofSeconds(10));
        while (client.put("recovery", "k" + System.nanoTime(), null).result() != Call.Result.OK) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TO_RECOVER.multipliedBy(2));
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        Runs.say("ClickHouse killed: writes again after " + took.toMillis() + " ms");
        return took;
    }
}

package dev.statehouse.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.statehouse.testing.PrivateEngine;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedEngineIT {

    @TempDir
    Path folder;

    @Test
    void isStartedAgainOnTheSamePortAndKeepsItsRowsWhenItIsKilled() throws Exception {
        try (PrivateEngine engine = PrivateEngine.start(folder)) {
            engine.query("CREATE TABLE default.t (a UInt32) ENGINE = MergeTree ORDER BY a");
            for (int round = 0; round < 3; round++) {
                engine.query("INSERT INTO default.t SETTINGS async_insert = 0 VALUES (" + round + ")");
                long before = engine.pid();
                engine.kill();
                engine.awaitAnswer();
                assertThat(engine.pid()).isNotEqualTo(before);
                assertThat(engine.query("SELECT count() FROM default.t")).isEqualTo(Integer.toString(round + 1));
            }
        }
    }
}

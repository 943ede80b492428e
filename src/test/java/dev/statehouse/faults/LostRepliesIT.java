package dev.statehouse.faults;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A {@link BadLine} between the instances and ClickHouse. */
@Isolated
class LostRepliesIT {

    private final Fleet fleet = Fleet.shared();
    private final History history = new History();

    @Test
    void allThatIsAnsweredHoldsAllTheSame() throws Exception {
        long seed = Runs.seed("lost replies");
        fleet.proxy(0).let(new BadLine(seed));
        fleet.proxy(1).let(new BadLine(seed + 1));
        MixedLoad load = new MixedLoad("lost-" + System.nanoTime(), fleet::base, history, seed);
        load.during(Duration.ofSeconds(Runs.times(8)), () -> null);
        Runs.say(history.summary());
        history.check();
    }
}

package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Clocks that are wrong, and clocks that are set. */
@Isolated
class ClocksIT {

    private static final Pattern STAMP = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|[+-]\\d\\d:\\d\\d)");

    private final Fleet fleet = Fleet.shared();
    private final TestClickHouse server = TestClickHouse.shared();
    private final History history = new History();

    @Test
    void instancesMayBeSixMinutesApart(@TempDir Path folder) throws Exception {
        long seed = Runs.seed("clocks of instances");
        WrongClock clock = WrongClock.in(folder);
        try (Fleet apart = fleet.another(List.of(clock.off(180), clock.off(-180)))) {
            assertThat(Duration.between(clock(apart.service(1)), clock(apart.service(0)))).isBetween(
                    Duration.ofSeconds(300), Duration.ofSeconds(420));
            MixedLoad load = new MixedLoad("apart-" + System.nanoTime(), apart::base, history, seed);
            load.during(Duration.ofSeconds(Runs.times(6)), () -> null);
        }
        Runs.say(history.summary());
        history.check();
    }

    /** What the clock of an instance said when it started, by its log. */
    private static OffsetDateTime clock(ServiceProcess service) {
        Matcher stamp = STAMP.matcher(service.output());
        assertThat(stamp.find()).isTrue();
        return OffsetDateTime.parse(stamp.group());
    }

    /**
     * The server's clock as the instances see it: what they ask for by {@code now64(3)}, and what stamps the rows of the
     * log. Leases may end early or late by that, so only the states are checked.
     */
    @Test
    void theServersClockMayBeSet() throws Exception {
        long seed = Runs.seed("clock of the server");
        AtomicLong offset = new AtomicLong();
        Fault clock = new Fault() {

            @Override
            public String rewrite(String text) {
                return text.replace("now64(3)", "(now64(3) + toIntervalSecond(" + offset + "))");
            }
        };
        fleet.proxy(0).let(clock);
        fleet.proxy(1).let(clock);
        Random random = new Random(seed);
        MixedLoad load = new MixedLoad("set-" + System.nanoTime(), fleet::base, history, seed);
        try {
            load.during(Duration.ofSeconds(1), () -> {
                for (int i = 0; i < Runs.times(8); i++) {
                    set(offset, i % 2 == 0 ? random.nextLong(20, 61) : -random.nextLong(20, 61));
                    Thread.sleep(1_000);
                }
                return null;
            });
        } finally {
            set(offset, 0);
        }
        Runs.say(history.summary());
        history.checkStates();
    }

    private void set(AtomicLong offset, long seconds) {
        offset.set(seconds);
        server.query("ALTER TABLE " + fleet.schema() + ".state_ledger MODIFY COLUMN at DateTime64(3) DEFAULT now64(3)"
                + (seconds == 0 ? "" : " + toIntervalSecond(" + seconds + ")"));
    }
}

package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Clocks that are wrong, and clocks that are set. */
@Isolated
class ClocksIT {

    private static final Pattern STAMP = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|[+-]\\d\\d:\\d\\d)");

    private final Fleet fleet = Fleet.shared();
    private final TestClickHouse server = TestClickHouse.shared();
    private final History history = new History();

    /** As in all tests of this fleet; here it is seen that they are. */
    @Test
    void instancesMayBeSixMinutesApart() throws Exception {
        assumeTrue(fleet.isApart(), WrongClock.LEFT_OUT);
        long seed = Runs.seed("clocks of instances");
        assertThat(Duration.between(clock(fleet.service(1)), clock(fleet.service(0)))).isBetween(
                Duration.ofSeconds(300), Duration.ofSeconds(420));
        MixedLoad load = new MixedLoad("apart-" + System.nanoTime(), fleet::base, history, seed);
        load.during(Duration.ofSeconds(Runs.times(3)), () -> null);
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
        AtomicLong asked = new AtomicLong();
        Fault clock = new Fault() {

            @Override
            public String rewrite(String text) {
                String off = text.replace("now64(3)", "(now64(3) + toIntervalSecond(" + offset + "))");
                asked.addAndGet(off.equals(text) ? 0 : 1);
                return off;
            }
        };
        fleet.proxy(0).let(clock);
        fleet.proxy(1).let(clock);
        Random random = new Random(seed);
        String name = "set-" + System.nanoTime();
        MixedLoad load = new MixedLoad(name, fleet::base, history, seed);
        long start = System.nanoTime();
        try {
            load.during(Duration.ofSeconds(1), () -> {
                for (int i = 0; i < Runs.times(5); i++) {
                    set(offset, i % 2 == 0 ? random.nextLong(20, 61) : -random.nextLong(20, 61));
                    Thread.sleep(1_000);
                }
                return null;
            });
        } finally {
            set(offset, 0);
        }
        Runs.say(history.summary());
        assertThat(asked).as("the instances ask for the server's time").hasPositiveValue();
        assertThat(stampsApart(name)).as("what stands in the log was stamped by clocks that were set")
                .isGreaterThan(Duration.ofNanos(System.nanoTime() - start));
        history.checkStates();
    }

    private Duration stampsApart(String name) {
        return Duration.ofMillis(Long.parseLong(server.query("SELECT toUnixTimestamp64Milli(max(at)) -"
                + " toUnixTimestamp64Milli(min(at)) FROM " + fleet.schema()
                + ".state_ledger WHERE startsWith(state_id, '"
                + name + "')")));
    }

    private void set(AtomicLong offset, long seconds) {
        offset.set(seconds);
        server.query("ALTER TABLE " + fleet.schema() + ".state_ledger MODIFY COLUMN at DateTime64(3) DEFAULT now64(3)"
                + (seconds == 0 ? "" : " + toIntervalSecond(" + seconds + ")"));
    }
}

package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** Clocks that are wrong, and clocks that are set. */
class ClocksIT {

    private static final List<Path> FAKETIME = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
            Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"));

    private static final Pattern STAMP = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|[+-]\\d\\d:\\d\\d)");

    private final Fleet fleet = Fleet.shared();
    private final TestClickHouse server = TestClickHouse.shared();
    private final History history = new History();

    /** The wall clock of a process is off; its steady clock is not. */
    private static Map<String, String> clockOff(String seconds) {
        Path library = FAKETIME.stream().filter(Files::exists).findFirst().orElseThrow(() -> {
            String words = "LEFT OUT: instances whose clocks are off need libfaketime: apt-get install faketime";
            Runs.say(words);
            return new TestAbortedException(words);
        });
        return Map.of("LD_PRELOAD", library.toString(), "FAKETIME", seconds, "FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }

    @Test
    void instancesMayBeSixMinutesApart() throws Exception {
        long seed = Runs.seed("clocks of instances");
        List<Map<String, String>> clocks = List.of(clockOff("+180"), clockOff("-180"));
        try (Fleet apart = fleet.another(clocks)) {
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
        assertThat(history.count(Call.Kind.PATCH, Call.Result.OK)).isGreaterThan(Runs.times(3));
    }

    private void set(AtomicLong offset, long seconds) {
        offset.set(seconds);
        server.query("ALTER TABLE " + fleet.schema() + ".state_ledger MODIFY COLUMN at DateTime64(3) DEFAULT now64(3)"
                + (seconds == 0 ? "" : " + toIntervalSecond(" + seconds + ")"));
    }
}

package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.embedded.EngineUser;
import dev.statehouse.testing.PrivateEngine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * ClickHouse stands still, takes no more writes, or has no room left, under load: what is acknowledged holds, the rest is
 * 503 at worst, it goes on within five seconds, and nothing is left lying about.
 */
@Isolated
class OutagesIT {

    private static final Duration TO_RECOVER = Duration.ofSeconds(5);
    private static final EngineUser READER = new EngineUser("reader", "reader-password",
            List.of("GRANT SELECT ON outages.*"));
    private static final int DISK_MB = 400;
    /** Connections that an instance may have: {@code statehouse.clickhouse.pool-size}. */
    private static final int POOL = 8;

    private static Path disk;
    private static boolean mounted;
    private static PrivateEngine engine;
    private static Fleet fleet;
    private static History history;
    private static double threads;

    @BeforeAll
    static void start() throws Exception {
        disk = Files.createTempDirectory("outages");
        mounted = run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MB + "m", "tmpfs", disk.toString());
        engine = PrivateEngine.start(disk.resolve("data"), READER);
        fleet = new Fleet(engine.address(), "outages", List.of(Map.of(), Map.of()));
        history = new History();
        new MixedLoad("before", fleet::base, history, 1).during(Duration.ofSeconds(1), () -> null);
        threads = metric("jvm_threads_live_threads");
    }

    @AfterAll
    static void end() throws Exception {
        fleet.close();
        engine.close();
        if (mounted) {
            run("umount", "--lazy", disk.toString());
        }
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor() == 0;
    }

    @AfterEach
    void check() {
        Runs.say(history.summary());
        history.check();
    }

    /** Something that goes wrong, and is put right again. */
    private interface Outage {

        void begin() throws Exception;

        void end() throws Exception;
    }

    private void happens(String name, Duration length, Outage outage) throws Exception {
        long seed = Runs.seed(name);
        MixedLoad load = new MixedLoad(name, fleet::base, history, seed);
        load.during(Duration.ZERO, () -> {
            Thread.sleep(500);
            outage.begin();
            try {
                Thread.sleep(length);
            } finally {
                outage.end();
            }
            assertThat(recovery(name)).isLessThan(TO_RECOVER);
            Thread.sleep(500);
            return null;
        });
        assertThat(metric("jvm_threads_live_threads")).as("threads").isLessThan(threads + 12);
        assertThat(fleet.proxy(0).connections()).as("connections").isLessThanOrEqualTo(POOL);
        assertThat(metric("hikaricp_connections_active")).as("connections that are not given back").isLessThan(POOL);
    }

    private static double metric(String name) throws Exception {
        URI uri = fleet.base(0).resolve("/actuator/prometheus");
        try (HttpClient http = HttpClient.newHttpClient()) {
            String text = http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).body();
            Matcher matcher = Pattern.compile("(?m)^" + name + "(?:\\{[^}]*})? (\\S+)$").matcher(text);
            assertThat(matcher.find()).as(name).isTrue();
            return Double.parseDouble(matcher.group(1));
        }
    }

    private Duration recovery(String name) {
        long start = System.nanoTime();
        for (int instance = 0; instance < 2; instance++) {
            int number = instance;
            Client client = new Client("recovery", () -> fleet.base(number), history).patience(Duration.ofSeconds(10));
            while (client.put(name + "-recovery-" + number, "k" + System.nanoTime(), null).result() != Call.Result.OK) {
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TO_RECOVER.multipliedBy(4));
            }
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        Runs.say(name + ": writes again after " + took.toMillis() + " ms");
        return took;
    }

    @Test
    void itStandsStillForTwentySeconds() throws Exception {
        happens("frozen", Duration.ofSeconds(20), new Outage() {

            @Override
            public void begin() {
                engine.freeze();
            }

            @Override
            public void end() {
                engine.thaw();
            }
        });
    }

    @Test
    void theRightToWriteIsWithdrawn() throws Exception {
        Fault withdrawn = new Fault() {

            @Override
            public HttpMessage disguise(HttpMessage request) {
                String basic = Base64.getEncoder()
                        .encodeToString((READER.name() + ":" + READER.password()).getBytes(StandardCharsets.UTF_8));
                return request.withoutHeaders("authorization", "x-clickhouse-user", "x-clickhouse-key")
                        .withHeader("Authorization: Basic " + basic);
            }
        };
        happens("withdrawn", Duration.ofSeconds(2), new Outage() {

            @Override
            public void begin() throws Exception {
                fleet.proxy(0).let(withdrawn);
                fleet.proxy(1).let(withdrawn);
                Thread.sleep(500);
                Client client = new Client("reader", () -> fleet.base(0), history);
                assertThat(client.put("withdrawn-put", "k1", null).result()).isNotEqualTo(Call.Result.OK);
                assertThat(client.read("withdrawn-put").result()).isEqualTo(Call.Result.OK);
            }

            @Override
            public void end() {
                fleet.proxy(0).let(Fault.NONE);
                fleet.proxy(1).let(Fault.NONE);
            }
        });
    }

    @Test
    void theDiskIsFull() throws Exception {
        assumeTrue(mounted, "LEFT OUT: a small disk needs the right to mount one");
        Path filler = disk.resolve("filler");
        happens("full", Duration.ofSeconds(2), new Outage() {

            @Override
            public void begin() throws Exception {
                // What the engine lets go meanwhile, after a merge for one, is filled up too.
                Client client = new Client("full", () -> fleet.base(0), history);
                long end = System.nanoTime() + 30_000_000_000L;
                do {
                    assertThat(System.nanoTime()).as("the disk does not get full").isLessThan(end);
                    fill(filler);
                } while (client.put("full-put", "k1", null).result() == Call.Result.OK);
            }

            @Override
            public void end() throws Exception {
                Files.delete(filler);
            }
        });
    }

    private static void fill(Path file) {
        byte[] block = new byte[16 * 1024];
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException full) {
            // as it should be
        }
    }
}

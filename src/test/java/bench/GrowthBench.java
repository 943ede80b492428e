package bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.StatehouseApplication;
import dev.statehouse.testing.Ports;
import dev.statehouse.testing.TestClickHouse;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * How calls of one client grow with the number of states, and what an export of all of them takes: three services in one
 * process, each on a database of its own of one ClickHouse, in turns.
 */
public final class GrowthBench {

    private static final int[] STATES = {1_000, 100_000, 1_000_000};
    private static final int TURNS = 10;
    private static final String HEAP = "-Xmx128m";
    private static final Pattern LOCK_ID = Pattern.compile("\"lock_id\":\"([^\"]+)\"");
    private static final Pattern RSS = Pattern.compile("VmHWM:\\s*(\\d+) kB");
    private static final String STATE = "{\"completed_state\":{\"bookmarks\":{\"a\":{\"x\":\"" + "v".repeat(450)
            + "\"}}}}";

    private GrowthBench() {}

    /** One call on a service with that many states. */
    @FunctionalInterface
    private interface Call {

        void run(Wire wire, int states) throws IOException;
    }

    /** Arguments: calls of each kind, 300 if not given. */
    public static void main(String[] args) throws Exception {
        int calls = args.length > 0 ? Integer.parseInt(args[0]) : 300;
        TestClickHouse clickHouse = TestClickHouse.shared();
        List<ConfigurableApplicationContext> services = new ArrayList<>();
        List<Wire> wires = new ArrayList<>();
        Map<String, Object> largest = Map.of();
        for (int states : STATES) {
            String database = clickHouse.createDatabase();
            largest = Map.of("statehouse.clickhouse.uri", clickHouse.uri(database), "statehouse.clickhouse.schema",
                    database);
            services.add(Services.start(StatehouseApplication.class, largest));
            wires.add(new Wire(Services.address(services.getLast())));
            System.out.println("Filling " + states + " states …");
            clickHouse.query("INSERT INTO " + database + ".state (state_id, completed_state, updated_at) SELECT 's'"
                    + " || leftPad(toString(number), 7, '0'), '{\"bookmarks\":{\"a\":{\"x\":\"' || repeat('v', 450)"
                    + " || '\"}}}', now64(3) FROM numbers(" + states + ")");
        }
        System.out.printf(Locale.ROOT, "%n%-34s", "1 client, p50 in ms, by states");
        for (int states : STATES) {
            System.out.printf(Locale.ROOT, " %11d", states);
        }
        System.out.println();
        double get = grows("GET", calls, wires, (wire, n) -> wire.send("GET", "/states/" + id(n), "").expect(200));
        double put = grows("PUT", calls, wires,
                (wire, n) -> wire.send("PUT", "/states/" + id(n), STATE).expect(200));
        grows("lock and unlock", calls, wires, GrowthBench::lockAndUnlock);
        grows("list, a page of 100", calls, wires,
                (wire, n) -> wire.send("GET", "/states?limit=100&after=" + id(n), "").expect(200));
        services.forEach(ConfigurableApplicationContext::close);
        export(largest);
        Ratios.head();
        Ratios.atMost("GET, p50 at 1 million states / at 1,000", get, 1.5);
        Ratios.atMost("PUT, p50 at 1 million states / at 1,000", put, 1.5);
        System.exit(0);
    }

    private static String id(int states) {
        return String.format(Locale.ROOT, "s%07d", ThreadLocalRandom.current().nextInt(states));
    }

    private static void lockAndUnlock(Wire wire, int states) throws IOException {
        String id = id(states);
        String answer = wire.send("POST", "/locks/" + id, "{\"owner\":\"bench\",\"ttl_seconds\":30}")
                .expect(201)
                .body();
        Matcher lockId = LOCK_ID.matcher(answer);
        if (!lockId.find()) {
            throw new IllegalStateException("No lock_id in " + answer);
        }
        wire.send("DELETE", "/locks/" + id, "", Map.of("Lock-Token", lockId.group(1))).expect(204);
    }

    /** @return how much longer it takes with the most states than with the fewest */
    private static double grows(String what, int calls, List<Wire> wires, Call call) throws Exception {
        Timings.Call[] each = new Timings.Call[wires.size()];
        for (int i = 0; i < each.length; i++) {
            Wire wire = wires.get(i);
            int states = STATES[i];
            each[i] = (client, number) -> call.run(wire, states);
        }
        Timings.taking(2, calls / 2, each); // warm
        List<Timings> timings = Timings.taking(TURNS, Math.max(1, calls / TURNS), each);
        System.out.printf(Locale.ROOT, "%-34s", what);
        timings.forEach(it -> System.out.printf(Locale.ROOT, " %11.1f", it.p50()));
        System.out.println();
        return timings.getLast().p50() / timings.getFirst().p50();
    }

    /** In a process with a small heap, as a user would: what does not stream does not fit. */
    private static void export(Map<String, Object> settings) throws Exception {
        int port = Ports.free();
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED", HEAP, "-cp", System.getProperty("java.class.path"),
                StatehouseApplication.class.getName(), "--server.port=" + port));
        settings.forEach((key, value) -> command.add("--" + key + "=" + value));
        Path log = Files.createTempFile("bench-export", ".log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            if (!Starts.listensOn(port, process)) {
                throw new IllegalStateException("The service did not start: " + Files.readString(log));
            }
            String address = "http://127.0.0.1:" + port;
            long start = System.nanoTime();
            long bytes = 0;
            try (HttpClient http = HttpClient.newHttpClient()) {
                HttpResponse<InputStream> answer = http.send(
                        HttpRequest.newBuilder(URI.create(address + "/export")).build(),
                        HttpResponse.BodyHandlers.ofInputStream());
                try (InputStream in = answer.body()) {
                    byte[] buffer = new byte[65_536];
                    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                        bytes += n;
                    }
                }
            }
            Matcher rss = RSS.matcher(Files.readString(Path.of("/proc/" + process.pid() + "/status")));
            System.out.printf(Locale.ROOT,
                    "%nexport of %d states with %s: %.0f MB in %.1f s, most memory of the process %s MB%n",
                    STATES[STATES.length - 1], HEAP, bytes / 1e6, (System.nanoTime() - start) / 1e9,
                    rss.find() ? Long.parseLong(rss.group(1)) / 1024 : "?");
        } finally {
            process.destroy();
            process.waitFor(10, TimeUnit.SECONDS);
            Files.delete(log);
        }
    }
}

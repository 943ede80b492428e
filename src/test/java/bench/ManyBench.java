package bench;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import dev.statehouse.StatehouseApplication;
import dev.statehouse.testing.TestClickHouse;
import io.micrometer.core.instrument.MeterRegistry;

/** Many clients at once: the service beside itself with batching off, over HTTP, on one ClickHouse with a million states. */
public final class ManyBench {

    private static final int STATES = 1_000_000;
    private static final int CLIENTS = 64;
    private static final Duration WARM_UP = Duration.ofSeconds(15);
    private static final String STATE = "{\"completed_state\":{\"singer_state\":{\"bookmarks\":{\"a\":{\"x\":\""
            + "v".repeat(400) + "\"}}}}}";

    private final TestClickHouse clickHouse;
    private final String database;
    private final Duration time;
    private final WhereTimeGoes meters;
    private final AtomicLong turn = new AtomicLong();

    private ManyBench(TestClickHouse clickHouse, String database, Duration time, WhereTimeGoes meters) {
        this.meters = meters;
        this.clickHouse = clickHouse;
        this.database = database;
        this.time = time;
    }

    /** Arguments: seconds of each load, 10 if not given. */
    public static void main(String[] args) throws Exception {
        Duration time = Duration.ofSeconds(args.length > 0 ? Integer.parseInt(args[0]) : 10);
        TestClickHouse clickHouse = TestClickHouse.shared();
        String database = clickHouse.createDatabase();
        Map<String, Object> settings = Map.of("statehouse.clickhouse.uri", clickHouse.uri(database),
                "statehouse.clickhouse.schema", database);
        // One that says nothing of each refusal.
        Map<String, Object> small = Services.with(
                Services.with(settings, "statehouse.batch.queue", Integer.toString(CLIENTS)),
                "logging.level.dev.statehouse.web.ProblemAdvice", "error");
        try (var batched = Services.start(StatehouseApplication.class, settings);
                var alone = Services.start(StatehouseApplication.class,
                        Services.with(settings, "statehouse.batch.enabled", "false"));
                var full = Services.start(StatehouseApplication.class, small)) {
            new ManyBench(clickHouse, database, time,
                    new WhereTimeGoes(batched.getBean(MeterRegistry.class)))
                    .run(Services.address(batched), Services.address(alone), Services.address(full));
        }
        System.exit(0);
    }

    private void run(String batched, String alone, String full) throws Exception {
        System.out.println("Filling " + STATES + " states …");
        clickHouse.query("INSERT INTO " + database + ".state (state_id, completed_state, updated_at) SELECT 's'"
                + " || toString(number), '{\"bookmarks\":{\"a\":{\"x\":\"' || repeat('v', 450) || '\"}}}',"
                + " now64(3) FROM numbers(" + STATES + ")");
        // On two cores it takes most of a minute until all that matters is compiled.
        for (String warm : new String[]{batched, alone}) {
            Load.of(warm, CLIENTS, WARM_UP, this::putNew);
            Load.of(warm, CLIENTS, WARM_UP, this::get);
        }
        meters.reset();
        head("GET, random of 1 million states");
        Load readsAlone = print("64 clients, batching off", Load.of(alone, CLIENTS, time, this::get));
        Load reads = print("64 clients", Load.of(batched, CLIENTS, time, this::get));
        meters.print();
        Load oneAlone = print("1 client, batching off", Load.of(alone, 1, time.dividedBy(2), this::get));
        Load one = print("1 client", Load.of(batched, 1, time.dividedBy(2), this::get));
        head("PUT, different ids");
        meters.reset();
        Load putsAlone = print("64 clients, batching off", Load.of(alone, CLIENTS, time, this::putNew));
        Load puts = print("64 clients", Load.of(batched, CLIENTS, time, this::putNew));
        meters.print();
        print("64 clients, for a minute", Load.of(batched, CLIENTS, Duration.ofMinutes(1), this::putNew));
        System.out.println("    active parts then: state " + parts("state") + ", ledger " + parts("state_ledger"));
        print("1 client, batching off", Load.of(alone, 1, time.dividedBy(2), this::putNew));
        print("1 client", Load.of(batched, 1, time.dividedBy(2), this::putNew));
        head("PATCH of one id");
        meters.reset();
        Load patchesAlone = print("64 clients, batching off", Load.of(alone, CLIENTS, time, patch("hot-alone")));
        Load patches = print("64 clients", Load.of(batched, CLIENTS, time, patch("hot")));
        meters.print();
        head("PUT, a queue of 64: accepted in all");
        Overload overload = new Overload(full, "o", STATE);
        overload.of(CLIENTS, Duration.ofSeconds(4));
        Overload.Result fits = overload.of(CLIENTS, time);
        fits.print("64 clients");
        Overload.Result twice = overload.of(4 * CLIENTS, time);
        twice.print("256 clients: twice what is taken");
        long lost = overload.missingIn(states("o"));
        Optional<Load[]> etcd = etcd();
        long keys = Long.parseLong(clickHouse.query("SELECT length(JSONExtractKeys(assumeNotNull(partial_state))) FROM "
                + database + ".state FINAL WHERE state_id = 'hot'").strip());

        Ratios.head();
        Ratios.atLeast("GET a second, 64 clients, batched / not", reads.perSecond() / readsAlone.perSecond(), 6);
        Ratios.atMost("GET, p99 batched / p50 not", reads.timings().p99() / readsAlone.timings().p50(), 1);
        Ratios.atMost("GET, 1 client, p50 batched / not", one.timings().p50() / oneAlone.timings().p50(), 1.1);
        Ratios.atLeast("PUT a second, 64 clients, batched / not", puts.perSecond() / putsAlone.perSecond(), 8);
        Ratios.atLeast("PATCH a second, 64 clients, batched / not", patches.perSecond() / patchesAlone.perSecond(), 8);
        Ratios.atMost("PUT, p99 of what is accepted, twice too many / not too many",
                twice.accepted().p99() / fits.accepted().p99(), 4);
        Ratios.atMost("PUTs that were acknowledged and are not there", lost, 0);
        System.out.printf(Locale.ROOT, "%-64s %9d of %d%n", "PATCHes of 64 clients that are merged", keys,
                patches.timings().sorted().length);
        etcd.ifPresent(loads -> {
            Ratios.atLeast("GET a second, 64 clients, Statehouse / etcd", reads.perSecond() / loads[0].perSecond(),
                    0.5);
            Ratios.atLeast("PUT a second, 64 clients, Statehouse / etcd", puts.perSecond() / loads[1].perSecond(), 0.5);
        });
    }

    /** Gets and puts; empty where it is not installed. */
    private Optional<Load[]> etcd() throws Exception {
        head("etcd beside it, one node, through its JSON gateway");
        Optional<Etcd> started = Etcd.start();
        if (started.isEmpty()) {
            System.out.println("    none is installed (Debian: etcd-server)");
            return Optional.empty();
        }
        try (Etcd etcd = started.get()) {
            AtomicInteger keys = new AtomicInteger();
            Load.Call put = (wire, client, number) -> Etcd.put(wire, "p" + keys.incrementAndGet(), STATE);
            Load.of(etcd.address(), CLIENTS, Duration.ofSeconds(4), put);
            Load puts = print("64 clients, put", Load.of(etcd.address(), CLIENTS, time, put));
            Load gets = print("64 clients, get", Load.of(etcd.address(), CLIENTS, time,
                    (wire, client, number) -> Etcd.get(wire, "p" + ThreadLocalRandom.current().nextInt(keys.get()))));
            return Optional.of(new Load[]{gets, puts});
        }
    }

    private Set<String> states(String prefix) {
        return clickHouse.query("SELECT state_id FROM " + database + ".state WHERE startsWith(state_id, '" + prefix
                + "')").lines().collect(Collectors.toSet());
    }

    private String parts(String table) {
        return clickHouse.query("SELECT count() FROM system.parts WHERE active AND database = '" + database
                + "' AND table = '" + table + "'").strip();
    }

    private void get(Wire wire, int client, int number) throws Exception {
        wire.send("GET", "/states/s" + ThreadLocalRandom.current().nextInt(STATES), "").expect(200);
    }

    private void putNew(Wire wire, int client, int number) throws Exception {
        wire.send("PUT", "/states/p" + turn.incrementAndGet(), STATE).expect(201);
    }

    /** Each call adds a key of its own. */
    private static Load.Call patch(String id) {
        return (wire, client, number) -> wire
                .send("PATCH", "/states/" + id, "{\"partial_state\":{\"c" + client + "-" + number + "\":1}}")
                .expect(200, 201);
    }

    private static void head(String what) {
        System.out.printf(Locale.ROOT, "%n%-44s %9s %9s %9s%n", what, "a second", "p50 ms", "p99 ms");
    }

    private static Load print(String what, Load load) {
        System.out.printf(Locale.ROOT, "%-44s %9.0f %9.1f %9.1f%n", what, load.perSecond(), load.timings().p50(),
                load.timings().p99());
        return load;
    }
}

package bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.StatehouseApplication;
import dev.statehouse.testing.AddOn;
import dev.statehouse.testing.TestClickHouse;
import org.jspecify.annotations.Nullable;

/**
 * Locks and writes beside the Meltano add-on's algorithm and a bare INSERT, all on one ClickHouse in one run. Times are of
 * whole HTTP calls, in milliseconds.
 */
public final class LocksBench {

    private static final Pattern LOCK_ID = Pattern.compile("\"lock_id\":\"([^\"]+)\"");
    private static final int TURNS = 8;
    private static final Duration WARM_UP = Duration.ofSeconds(15);
    private static final String STATE = "{\"completed_state\":{\"singer_state\":{\"bookmarks\":{\"a\":{\"x\":1}}}}}";

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String service;
    private final String bare;
    private final TestClickHouse clickHouse;
    private final String database;
    private final int calls;

    private LocksBench(String service, String bare, TestClickHouse clickHouse, String database, int calls) {
        this.service = service;
        this.bare = bare;
        this.clickHouse = clickHouse;
        this.database = database;
        this.calls = calls;
    }

    /** Arguments: calls a client, 300 if not given. */
    public static void main(String[] args) throws Exception {
        int calls = args.length > 0 ? Integer.parseInt(args[0]) : 300;
        TestClickHouse clickHouse = TestClickHouse.shared();
        String database = clickHouse.createDatabase();
        String url = "jdbc:clickhouse://" + clickHouse.host() + ":" + clickHouse.port() + "/" + database;
        try (var service = Services.start(StatehouseApplication.class,
                Map.of("statehouse.clickhouse.uri", clickHouse.uri(database), "statehouse.clickhouse.schema",
                        database));
                var bare = Services.start(BareService.class, Map.of("bare.url", url, "bare.user", clickHouse.user(),
                        "bare.password", clickHouse.password(), "bare.table", database + ".bare"))) {
            clickHouse.query("CREATE TABLE " + database + ".bare AS " + database + ".state");
            AddOn addOn = new AddOn(clickHouse.freshName());
            addOn.createTables();
            new LocksBench(Services.address(service), Services.address(bare), clickHouse, database, calls).run(addOn);
        }
        System.exit(0);
    }

    private void run(AddOn addOn) throws Exception {
        warmUp();
        System.out.printf(Locale.ROOT, "%n%-44s %9s %9s%n", "lock + unlock, ms", "p50", "p99");
        Timings settle = print("add-on's algorithm, 1 client", Timings.of(1, 5, (c, n) -> {
            addOn.release("s" + c, addOn.acquire("s" + c));
        }));
        print("add-on's algorithm, 8 clients, different ids",
                Timings.of(8, 2, (c, n) -> addOn.release("d" + c, addOn.acquire("d" + c))));
        AtomicLong turn = new AtomicLong();
        Timings.Call fresh = (c, n) -> lockAndUnlock("one-" + turn.incrementAndGet(), 0);
        // What is compared takes turns, so that what else the machine does meets all of it.
        List<Timings> small = Timings.taking(TURNS, calls / TURNS, fresh, (c, n) -> lockAndUnlock("one", 0));
        Timings ledger = print("ledger, 1 client, different ids", small.get(0));
        print("ledger, 1 client, same id", small.get(1));
        print("ledger, 8 clients, different ids", Timings.of(8, calls / 8, (c, n) -> lockAndUnlock("eight-" + c, 0)));
        print("ledger, 8 clients, same id, each waits its turn",
                Timings.of(8, calls / 8, (c, n) -> lockAndUnlock("same", 60)));
        Timings handover = print("ledger, handing over to a waiter", handOver());
        large("large");
        List<Timings> beside = Timings.taking(TURNS, calls / TURNS, fresh, (c, n) -> lockAndUnlock("large", 0));
        print("ledger, different ids, beside 100,000 rows", beside.get(0));
        Timings large = print("ledger, id with 100,000 recent rows", beside.get(1));

        System.out.printf(Locale.ROOT, "%n%-44s %9s %9s%n", "PUT of a small state, 1 client, ms", "p50", "p99");
        List<Timings> puts = Timings.taking(TURNS, calls / TURNS,
                (c, n) -> put(bare + "/bare/b" + turn.incrementAndGet()),
                (c, n) -> put(service + "/states/p" + turn.incrementAndGet()),
                (c, n) -> put(service + "/states/same"));
        Timings insert = print("bare Spring + JDBC INSERT", puts.get(0));
        Timings put = print("PUT, different ids", puts.get(1));
        Timings same = print("PUT, same id", puts.get(2));

        Ratios.head();
        Ratios.atMost("uncontended ledger / add-on's algorithm", ledger.p50() / settle.p50(), 1 / 60.0);
        Ratios.atMost("handing over / add-on's algorithm (its best case, 1 client)", handover.p50() / settle.p50(),
                1 / 15.0);
        Ratios.atMost("id with 100,000 rows / fresh id", large.p50() / beside.getFirst().p50(), 3);
        Ratios.atMost("PUT, different ids / bare INSERT", put.p50() / insert.p50(), 4);
        Ratios.atMost("PUT, same id / bare INSERT", same.p50() / insert.p50(), 2.5);
    }

    /** A JVM takes some thousand calls to get up to speed. */
    private void warmUp() throws Exception {
        Load.of(service, TURNS, WARM_UP, (wire, c, n) -> lockAndUnlock("warm-" + c, 0));
        Load.of(service, TURNS, WARM_UP, (wire, c, n) -> put(service + "/states/warm-" + c));
        Load.of(bare, TURNS, WARM_UP, (wire, c, n) -> put(bare + "/bare/warm-" + c));
    }

    private static Timings print(String what, Timings timings) {
        System.out.printf(Locale.ROOT, "%-44s %9.1f %9.1f%n", what, timings.p50(), timings.p99());
        return timings;
    }

    private void lockAndUnlock(String id, int waitSeconds) throws IOException, InterruptedException {
        release(id, acquire(id, waitSeconds));
    }

    private String acquire(String id, int waitSeconds) throws IOException, InterruptedException {
        String body = "{\"owner\":\"bench\",\"ttl_seconds\":30,\"wait_seconds\":" + waitSeconds + "}";
        Matcher lockId = LOCK_ID.matcher(send("POST", service + "/locks/" + id, body, null));
        if (!lockId.find()) {
            throw new IllegalStateException("No lock_id in the answer");
        }
        return lockId.group(1);
    }

    private void release(String id, String lockId) throws IOException, InterruptedException {
        send("DELETE", service + "/locks/" + id, null, lockId);
    }

    private void put(String url) throws IOException, InterruptedException {
        send("PUT", url, STATE, null);
    }

    /** From the moment that the holder is about to release until the waiter has its answer. */
    private Timings handOver() throws Exception {
        long[] nanos = new long[Math.max(20, calls / 10)];
        for (int i = 0; i < nanos.length; i++) {
            String id = "hand-" + i;
            String holder = acquire(id, 0);
            var waiter = java.util.concurrent.CompletableFuture.supplyAsync(() -> {
                try {
                    acquire(id, 60);
                    return System.nanoTime();
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Thread.sleep(200);
            long start = System.nanoTime();
            release(id, holder);
            nanos[i] = waiter.get() - start;
        }
        java.util.Arrays.sort(nanos);
        return new Timings(nanos);
    }

    /** Writes and their done rows, with a snapshot every 500, as a busy hour leaves them. */
    private void large(String id) throws IOException, InterruptedException {
        int blocks = 200;
        for (int block = 0; block < blocks; block++) {
            String at = "now64(3) - INTERVAL " + (blocks - block) * 16 + " SECOND";
            clickHouse.query("INSERT INTO " + database + ".state_ledger"
                    + " (state_id, event, event_id, lock, base, version, read_at, at) SELECT '" + id
                    + "', if(number % 2, 'done', 'write'), 'w" + block + "-' || toString(number), if(number % 2, 'w"
                    + block + "-' || toString(number - 1), ''), 1, 1, toUnixTimestamp64Milli(" + at + "), " + at
                    + " FROM numbers(500)");
            if (block % 10 == 9) {
                lockAndUnlock(id, 0);
            }
        }
    }

    private String send(String method, String url, @Nullable String body, @Nullable String lockId)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        request.method(method, body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (lockId != null) {
            request.header("Lock-Token", lockId);
        }
        HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new IllegalStateException(method + " " + url + ": " + response.statusCode() + " " + response.body());
        }
        return response.body();
    }
}

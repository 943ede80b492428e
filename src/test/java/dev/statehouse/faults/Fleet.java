package dev.statehouse.faults;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import dev.statehouse.embedded.EngineAddress;
import dev.statehouse.testing.TestClickHouse;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** Some instances of the service over one ClickHouse, each behind a {@link FaultProxy} of its own. */
final class Fleet implements AutoCloseable {

    /** Statements may be held at many points at once, and each that is held has a connection. */
    private static final Map<String, String> ROOM = Map.of("STATEHOUSE_CLICKHOUSE_POOLSIZE", "40");
    private static final int CLOCK_IS_OFF_SECONDS = 180;

    private static @Nullable Fleet shared;

    private final EngineAddress clickHouse;
    private final String schema;
    private final List<Map<String, String>> environments;
    private final List<FaultProxy> proxies;
    private final List<ServiceProcess> services;

    /**
     * @param schema the database of the tables, made where it is missing
     * @param environments what is set for each of the instances
     */
    Fleet(EngineAddress clickHouse, String schema, List<Map<String, String>> environments) {
        this.clickHouse = clickHouse;
        this.schema = schema;
        this.environments = environments;
        this.proxies = environments.stream().map(e -> new FaultProxy(clickHouse.host(), clickHouse.port())).toList();
        List<CompletableFuture<ServiceProcess>> starting = new ArrayList<>();
        for (int i = 0; i < environments.size(); i++) {
            int number = i;
            starting.add(CompletableFuture.supplyAsync(() -> start(number)));
        }
        this.services = new ArrayList<>();
        starting.forEach(one -> one.whenComplete((service, failure) -> {
            if (service != null && starting.stream().anyMatch(CompletableFuture::isCompletedExceptionally)) {
                service.close();
            }
        }));
        starting.forEach(one -> services.add(one.join()));
    }

    /**
     * Two instances over the ClickHouse of the tests, for all tests that leave it alone. Where that can be had their
     * clocks are six minutes apart, for nothing may hang on them. The first does each write by itself, so that it can be
     * stopped at each step of each; the second does together what comes together.
     */
    static synchronized Fleet shared() {
        if (shared == null) {
            TestClickHouse server = TestClickHouse.shared();
            if (server.secure()) {
                throw new TestAbortedException("LEFT OUT: faults on the way to ClickHouse need plain HTTP");
            }
            Fleet fleet = new Fleet(new EngineAddress(server.host(), server.port(), server.user(), server.password()),
                    server.freshName(), apart());
            Runtime.getRuntime().addShutdownHook(new Thread(fleet::close));
            shared = fleet;
        }
        fair(shared);
        return shared;
    }

    private static List<Map<String, String>> apart() {
        Optional<WrongClock> clock = WrongClock.find();
        return IntStream.of(CLOCK_IS_OFF_SECONDS, -CLOCK_IS_OFF_SECONDS).mapToObj(seconds -> {
            Map<String, String> environment = new HashMap<>(ROOM);
            environment.put("STATEHOUSE_BATCH_ENABLED", Boolean.toString(seconds < 0));
            clock.ifPresent(wrong -> environment.putAll(wrong.off(seconds)));
            return environment;
        }).toList();
    }

    private static void fair(Fleet fleet) {
        fleet.proxies.forEach(proxy -> proxy.let(Fault.NONE));
    }

    private ServiceProcess start(int number) {
        String uri = "clickhouse://%s:%s@127.0.0.1:%d/default".formatted(encode(clickHouse.user()),
                encode(clickHouse.password()),
                proxies.get(number).port());
        try {
            return ServiceProcess.start(uri, schema, environments.get(number));
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Whether the clocks of the instances are wrong. */
    boolean isApart() {
        return environments.stream().allMatch(environment -> environment.containsKey("LD_PRELOAD"));
    }

    String schema() {
        return schema;
    }

    URI base(int number) {
        return services.get(number).base();
    }

    ServiceProcess service(int number) {
        return services.get(number);
    }

    FaultProxy proxy(int number) {
        return proxies.get(number);
    }

    /** In the place of one that was killed. */
    void replace(int number) {
        services.set(number, start(number));
    }

    @Override
    public void close() {
        services.forEach(ServiceProcess::close);
        for (FaultProxy proxy : proxies) {
            try {
                proxy.close();
            } catch (IOException e) {
                // it ends with this process
            }
        }
    }
}

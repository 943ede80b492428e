package dev.statehouse.testing;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

import dev.statehouse.StatehouseApplication;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** The whole service on a port of its own, and a second way to its tables. */
public final class RunningService implements AutoCloseable {

    private static @Nullable RunningService shared;

    private final ConfigurableApplicationContext context;
    private final String schema;

    private RunningService(ConfigurableApplicationContext context, String schema) {
        this.context = context;
        this.schema = schema;
    }

    /** One for the whole JVM, on {@link TestClickHouse#shared()} with a database of its own; tests share its tables. */
    public static synchronized RunningService shared() {
        if (shared == null) {
            TestClickHouse clickHouse = TestClickHouse.shared();
            RunningService started = start(clickHouse.uri("default"), clickHouse.freshName());
            started.closeAtTheEnd();
            shared = started;
        }
        return shared;
    }

    /**
     * Another one. Close it.
     *
     * @param uri as {@code STATE_BACKEND_URI}
     * @param schema the database of its tables; it is made
     * @param more further arguments, such as {@code --statehouse.lock.ttl=5s}
     */
    public static RunningService start(String uri, String schema, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--server.port=0",
                "--spring.main.register-shutdown-hook=false", "--statehouse.clickhouse.uri=" + uri,
                "--statehouse.clickhouse.schema=" + schema));
        arguments.addAll(Arrays.asList(more));
        SpringApplication application = new SpringApplication(StatehouseApplication.class);
        application.addInitializers(
                context -> context.getBeanFactory().registerSingleton("productionOnly", new ProductionOnly()));
        return new RunningService(application.run(arguments.toArray(String[]::new)), schema);
    }

    /** Tests have controllers too, for their own ends; the service under test is the one that is shipped. */
    private static final class ProductionOnly extends TypeExcludeFilter {

        @Override
        public boolean match(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
            return reader.getResource().getURL().getPath().contains("/test-classes/");
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ProductionOnly;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    /** With the JVM, and its database with it, unless that is on an engine that ends with the JVM as well. */
    void closeAtTheEnd() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            close();
            try {
                TestClickHouse.shared().dropDatabase(schema);
            } catch (RuntimeException gone) {
                System.Logger log = System.getLogger(RunningService.class.getName());
                log.log(System.Logger.Level.DEBUG, "The engine of the tests has gone already", gone);
            }
        }));
    }

    public String base() {
        return "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port");
    }

    /** Holds every answer against the contract. */
    public ContractClient client() {
        return new ContractClient(base());
    }

    /** Waits up to 30 s until readiness says up. */
    public void awaitReady() {
        long end = System.nanoTime() + 30_000_000_000L;
        while (client().get("/actuator/health/readiness").status() != 200) {
            if (System.nanoTime() > end) {
                throw new AssertionError("the service does not get ready");
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    public ConfigurableApplicationContext context() {
        return context;
    }

    /** The database of its tables. */
    public String schema() {
        return schema;
    }

    /** The state table as SQL writes it. */
    public String table() {
        return "`" + schema + "`.`state`";
    }

    /** The ledger as SQL writes it. */
    public String ledger() {
        return "`" + schema + "`.`state_ledger`";
    }

    /** A prefix of ids that no other test has; plain in a URL. */
    public static String freshPrefix() {
        return "t" + UUID.randomUUID().toString().substring(0, 8);
    }

    /** A text as a literal of ClickHouse's SQL. */
    public static String quoted(@Nullable String text) {
        return text == null ? "NULL" : "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    /** A row as another program would write it, beside the service; only for a service on the shared ClickHouse. */
    public void insert(String id, @Nullable String partial, @Nullable String completed) {
        TestClickHouse.shared()
                .query("INSERT INTO %s (state_id, partial_state, completed_state) VALUES (%s, %s, %s)".formatted(
                        table(), quoted(id), quoted(partial), quoted(completed)));
    }

    /** What stands in the table under an id, as {@code partial|completed}; empty if there is no row. */
    public String stored(String id) {
        return TestClickHouse.shared()
                .query("SELECT concat(ifNull(partial_state, '-'), '|', ifNull(completed_state, '-')) FROM %s FINAL WHERE state_id = %s FORMAT TSVRaw"
                        .formatted(table(), quoted(id)));
    }

    @Override
    public void close() {
        context.close();
    }
}

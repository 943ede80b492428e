package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import java.time.Duration;
import java.util.function.Consumer;

import com.clickhouse.client.api.ClickHouseException;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Sees to it that the schema is there before anything is asked: at the start, or, where ClickHouse is away then, as
 * soon as it answers. A ClickHouse that answers and refuses ends the start.
 */
final class SchemaKeeper implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(SchemaKeeper.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Consumer<JdbcTemplate> schema;
    private final JdbcTemplate jdbc;
    private final ClickHouseAddress address;
    private final InsertSettings inserts = new InsertSettings();

    private volatile boolean applied;
    private volatile @Nullable String refusal;
    private volatile @Nullable Thread keeper;
    private String said = "";

    /** @param schema makes what is missing, and throws {@link SettingException} for what cannot be used */
    SchemaKeeper(Consumer<JdbcTemplate> schema, JdbcTemplate jdbc, ClickHouseAddress address) {
        this.schema = schema;
        this.jdbc = jdbc;
        this.address = address;
    }

    @Override
    public void start() {
        apply();
        keeper = Thread.ofVirtual().name("clickhouse-schema").start(this::keep);
    }

    /** @throws Unavailable as long as the schema is not there */
    void require() {
        if (!applied) {
            String words = refusal;
            throw new Unavailable(ProblemCode.CLICKHOUSE_UNAVAILABLE,
                    words == null ? "ClickHouse has not answered since this service was started." : words,
                    Duration.ofSeconds(1), null);
        }
    }

    InsertSettings inserts() {
        return inserts;
    }

    /** Somebody dropped what the schema made; it is made again. */
    void gone() {
        if (applied) {
            log.warn("The state table has gone; it is created again as soon as ClickHouse lets it.");
            applied = false;
        }
    }

    private void keep() {
        try {
            while (true) {
                Thread.sleep(PAUSE);
                if (!applied) {
                    applyAgain();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // stopped
        }
    }

    private void applyAgain() {
        try {
            apply();
        } catch (SettingException e) {
            refusal = "The state table cannot be used; this service's log says why.";
            say(e.getMessage() + " " + e.action());
        } catch (RuntimeException e) {
            say("An error of the service itself: " + e);
        }
    }

    private void apply() {
        try {
            schema.accept(jdbc);
            inserts.ask(jdbc);
            applied = true;
            refusal = null;
            log.info("Ready on ClickHouse at {}.", address);
        } catch (DataAccessException | ClickHouseException e) {
            int code = ErrorTranslator.code(e);
            if (ErrorTranslator.needsAnOperator(code)) {
                throw new SettingException(
                        ErrorTranslator.words(code) + " Asked was " + address + ". It said: " + Causes.of(e),
                        ErrorTranslator.action(code, address));
            }
            say(ErrorTranslator.words(code) + " Asked was " + address + ", again each second. Cause: " + Causes.of(e));
            refusal = ErrorTranslator.words(code);
        }
    }

    /** Once, until something else is wrong. */
    private void say(String words) {
        if (!words.equals(said)) {
            log.warn("Not ready. {}", words);
            said = words;
        }
    }

    @Override
    public void stop() {
        Thread running = keeper;
        keeper = null;
        if (running != null) {
            running.interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return keeper != null;
    }

    /** Before the web server takes calls. */
    @Override
    public int getPhase() {
        return 0;
    }
}

package dev.statehouse.clickhouse;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import com.clickhouse.client.api.ClickHouseException;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import dev.statehouse.trace.Spans;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The way to ClickHouse: in order of arrival, as many at a time as there are connections, and with errors as problems.
 * The pool alone is unfair: of 64 callers for 8 connections some wait for seconds.
 */
final class ClickHouse {

    private static final Logger log = LoggerFactory.getLogger(ClickHouse.class);

    private final JdbcTemplate jdbc;
    private final SchemaKeeper schema;
    private final Semaphore gate;
    private final Duration timeout;
    private final Spans spans;
    private final Map<Step, Timer> timers = new EnumMap<>(Step.class);

    /**
     * @param permits how many may ask at a time: the size of the pool
     * @param timeout how long to wait for a turn
     */
    ClickHouse(JdbcTemplate jdbc, SchemaKeeper schema, int permits, Duration timeout, MeterRegistry meters,
            Spans spans) {
        this.jdbc = jdbc;
        this.schema = schema;
        this.gate = new Semaphore(permits, true);
        this.timeout = timeout;
        this.spans = spans;
        for (Step step : Step.values()) {
            timers.put(step, Timer.builder("statehouse.clickhouse")
                    .description("How long ClickHouse took, answered or not")
                    .tag("step", step.tag())
                    .register(meters));
        }
        FunctionCounter.builder("statehouse.writes.helped", Objects.requireNonNull(timers.get(Step.HELP)), Timer::count)
                .description("Writes of others, stalled or dead, that were put into the state table")
                .register(meters);
    }

    /** As {@link InsertSettings#more}. */
    String insertSettings(int rows) {
        return schema.inserts().more(rows);
    }

    /** @throws Problem if it could not be done */
    <T> T ask(Step step, Function<JdbcTemplate, T> work) {
        schema.require();
        if (!waitForTurn()) {
            throw new Unavailable(ProblemCode.OVERLOADED, "More is being asked of ClickHouse than it answers.",
                    Duration.ofSeconds(1), null);
        }
        long start = System.nanoTime();
        try {
            return spans.statement(step.tag(), () -> work.apply(jdbc));
        } catch (DataAccessException | ClickHouseException e) {
            if (ErrorTranslator.schemaIsGone(ErrorTranslator.code(e))) {
                schema.gone();
            }
            Problem problem = ErrorTranslator.translate(e);
            log.warn("{} failed: {} Cause: {}", step.inWords(), problem.detail(), Causes.of(e));
            throw problem;
        } finally {
            gate.release();
            Objects.requireNonNull(timers.get(step)).record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
        }
    }

    private boolean waitForTurn() {
        try {
            return gate.tryAcquire(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

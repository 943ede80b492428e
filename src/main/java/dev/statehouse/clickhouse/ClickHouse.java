package dev.statehouse.clickhouse;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import com.clickhouse.client.api.ClickHouseException;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
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

    /**
     * @param permits how many may ask at a time: the size of the pool
     * @param timeout how long to wait for a turn
     */
    ClickHouse(JdbcTemplate jdbc, SchemaKeeper schema, int permits, Duration timeout) {
        this.jdbc = jdbc;
        this.schema = schema;
        this.gate = new Semaphore(permits, true);
        this.timeout = timeout;
    }

    /**
     * @param what for the log: what is being done
     * @throws Problem if it could not be done
     */
    <T> T ask(String what, Function<JdbcTemplate, T> work) {
        schema.require();
        if (!waitForTurn()) {
            throw new Unavailable(ProblemCode.OVERLOADED, "More is being asked of ClickHouse than it answers.",
                    Duration.ofSeconds(1), null);
        }
        try {
            return work.apply(jdbc);
        } catch (DataAccessException | ClickHouseException e) {
            if (ErrorTranslator.schemaIsGone(ErrorTranslator.code(e))) {
                schema.gone();
            }
            Problem problem = ErrorTranslator.translate(e);
            log.warn("{} failed: {} Cause: {}", what, problem.detail(), Causes.of(e));
            throw problem;
        } finally {
            gate.release();
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

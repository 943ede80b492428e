package dev.statehouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoublePredicate;
import java.util.function.DoubleSupplier;

import dev.statehouse.clickhouse.TestInstance;
import dev.statehouse.lock.LeaseBook;
import dev.statehouse.testing.TestClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What instances say of locks and tables, held against tables that hold nothing else. */
@Execution(ExecutionMode.CONCURRENT)
class GaugesIT {

    private static final Duration DUE = Duration.ofSeconds(30);
    private static final Duration TOO_OLD = Duration.ofMinutes(5);

    private final TestInstance instance = TestInstance.open(TestInstance.freshSchema());
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @AfterEach
    void close() {
        instance.close();
        TestClickHouse.shared().dropDatabase(instance.schema());
    }

    private double value(String name, String... tags) {
        return meters.get(name).tags(tags).gauge().value();
    }

    private double await(DoublePredicate wanted, String name, String... tags) {
        return await(wanted, () -> value(name, tags));
    }

    /** Reads until the survey that a reading begins has its answer. */
    private static double await(DoublePredicate wanted, DoubleSupplier reading) {
        long end = System.nanoTime() + 30_000_000_000L;
        double value = reading.getAsDouble();
        while (!wanted.test(value)) {
            assertThat(System.nanoTime()).as("still %s", value).isLessThan(end);
            LockSupport.parkNanos(10_000_000);
            value = reading.getAsDouble();
        }
        return value;
    }

    private void request(String id, String lock, long secondsAgo) {
        instance.execute(
                "INSERT INTO $ledger (state_id, event, event_id, lock, owner, ttl_ms, at) SETTINGS async_insert = 0"
                        + " SELECT ?, 'request', ?, ?, 'a run', 3600000, now64(3) - toIntervalSecond(?)",
                id, lock, lock,
                secondsAgo);
    }

    @Test
    void locksAreCountedWithWhoWaitsAndTheOldestByTheServersClock() {
        new LockGauges(meters, LeaseBook.of(instance.ledger()), instance.store(), instance.time());
        assertThat(value("statehouse.locks.held")).as("nobody waits for the answer").isNaN();
        assertThat(await(Double::isFinite, "statehouse.locks.held")).isZero();
        assertThat(value("statehouse.lock.oldest.seconds")).isZero();
        request("old", "a", 600);
        request("young", "b", 60);
        request("young", "c", 0);
        instance.jump(DUE);
        assertThat(await(held -> held > 0, "statehouse.locks.held")).isEqualTo(2);
        assertThat(value("statehouse.locks.waiting")).isEqualTo(1);
        assertThat(value("statehouse.lock.oldest.seconds")).isBetween(600.0, 700.0);
    }

    @Test
    void tablesAreMeasured() {
        new TableGauges(meters, instance.tableSizes(), instance.time());
        await(Double::isFinite, "statehouse.table.parts", "table", "state");
        for (String id : new String[]{"a", "b", "b"}) {
            instance.execute(
                    "INSERT INTO $state (state_id, completed_state) SETTINGS async_insert = 0 VALUES (?, '{}')",
                    id);
        }
        instance.jump(DUE);
        await(parts -> parts > 0, "statehouse.table.parts", "table", "state");
        assertThat(value("statehouse.table.rows", "table", "state")).isBetween(2.0, 3.0);
        assertThat(value("statehouse.table.bytes", "table", "state")).isPositive();
        assertThat(value("statehouse.table.rows", "table", "ledger")).as("the mark").isEqualTo(1);
    }

    @Test
    void whatCannotBeAskedIsUnknownAfterAWhileAndReadingItDoesNotFail() {
        new TableGauges(meters, instance.tableSizes(), instance.time());
        await(Double::isFinite, "statehouse.table.parts", "table", "state");
        instance.close();
        instance.jump(DUE);
        assertThat(value("statehouse.table.parts", "table", "state")).isFinite();
        instance.jump(TOO_OLD);
        assertThat(value("statehouse.table.parts", "table", "state")).isNaN();
    }

    @Test
    void nobodyAsksMoreOftenThanEveryHalfMinute() {
        int[] asked = new int[1];
        Survey<Integer> survey = new Survey<>("a test", () -> ++asked[0], instance.time());
        await(Double::isFinite, () -> survey.read(Integer::doubleValue));
        for (int i = 0; i < 1000; i++) {
            assertThat(survey.read(Integer::doubleValue)).isEqualTo(1);
        }
        instance.jump(DUE);
        await(value -> value == 2, () -> survey.read(Integer::doubleValue));
    }
}

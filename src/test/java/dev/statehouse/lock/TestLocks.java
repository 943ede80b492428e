package dev.statehouse.lock;

import java.time.Duration;
import java.util.UUID;

import dev.statehouse.clickhouse.TestInstance;
import dev.statehouse.ledger.Appender;
import dev.statehouse.ledger.EventIds;
import dev.statehouse.ledger.Settler;
import dev.statehouse.ledger.Snapshots;
import dev.statehouse.ledger.Time;
import dev.statehouse.testing.SeamLedger;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * The locks of one instance of the service, by the ledger.
 *
 * @param ledger where a test can stand between their steps
 * @param meters what they count
 */
record TestLocks(TestInstance instance, SeamLedger ledger, LedgerLocks locks,
        MeterRegistry meters) implements AutoCloseable {

    static TestLocks open(String schema) {
        return of(TestInstance.open(schema));
    }

    static TestLocks of(TestInstance instance) {
        return of(instance, Duration.ofMillis(25));
    }

    /** @param poll how often one looks who waits */
    static TestLocks of(TestInstance instance, Duration poll) {
        SeamLedger ledger = new SeamLedger(instance.ledger());
        MeterRegistry meters = new SimpleMeterRegistry();
        Time time = instance.time();
        EventIds ids = () -> UUID.randomUUID().toString();
        Appender appender = new Appender(ledger, time, Duration.ofSeconds(8));
        LedgerParts parts = new LedgerParts(ledger, appender, appender, new Settler(ledger, appender, time),
                new Snapshots(ledger, ids), time, ids, new LockMeters(meters));
        return new TestLocks(instance, ledger, new LedgerLocks(parts, new Watches(parts, poll)), meters);
    }

    @Override
    public void close() {
        instance.close();
    }
}

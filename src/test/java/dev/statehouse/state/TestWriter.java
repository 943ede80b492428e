package dev.statehouse.state;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.statehouse.batch.BatchMeters;
import dev.statehouse.batch.BatchProperties;
import dev.statehouse.batch.TestBatches;
import dev.statehouse.clickhouse.TestInstance;
import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Appender;
import dev.statehouse.ledger.EventIds;
import dev.statehouse.ledger.Settler;
import dev.statehouse.ledger.Snapshots;
import dev.statehouse.ledger.Tail;
import dev.statehouse.ledger.Time;
import dev.statehouse.lock.LeaseBook;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.testing.SeamLedger;
import dev.statehouse.trace.Spans;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** What writes states in one instance of the service; a test can stand between its steps. */
final class TestWriter implements AutoCloseable {

    final TestInstance instance;
    final SeamLedger ledger;
    final SeamStore store;
    final StateWriter writer;
    final Quiet quiet = new Quiet();
    final StateService states;
    final StateBulk bulk;
    final MeterRegistry meters = new SimpleMeterRegistry();
    volatile Runnable afterRead = () -> {};

    private TestWriter(TestInstance instance, BatchProperties batches) {
        this.instance = instance;
        this.ledger = new SeamLedger(instance.ledger());
        this.store = new SeamStore(instance.store());
        Time time = instance.time();
        EventIds ids = () -> UUID.randomUUID().toString();
        Appender appender = new Appender(ledger, time, Duration.ofSeconds(8));
        StateLog log = instance.log();
        StateLog seam = asked -> {
            StateLog.Reading reading = log.read(asked);
            afterRead.run();
            return reading;
        };
        WriteMemory memory = new WriteMemory(time);
        writer = new LedgerWriter(new WriteParts(seam, store, ledger, appender, new Settler(ledger, appender, time),
                new Snapshots(ledger, ids), new DoneRows(ledger, appender, memory, time, ids), memory, quiet,
                time, ids,
                new StateProperties(DataSize.ofMegabytes(16))), batches, new BatchMeters(meters, Spans.NONE),
                meters);
        states = new StateService(store, writer);
        bulk = new StateBulk(store, writer, LeaseBook.of(ledger), new StateProperties(DataSize.ofMegabytes(16)));
    }

    static TestWriter open(String schema) {
        return open(schema, TestBatches.PROPERTIES);
    }

    static TestWriter open(String schema, BatchProperties batches) {
        return new TestWriter(TestInstance.open(schema), batches);
    }

    /** At none of the places between the steps. */
    void standNowhere() {
        afterRead = () -> {};
        ledger.beforeAppend = entries -> {};
        ledger.afterAppend = entries -> {};
        ledger.beforeLook = () -> {};
        ledger.afterLook = () -> {};
        ledger.beforeSettle = () -> {};
        store.beforeWrite = rows -> {};
        store.afterWrite = rows -> {};
        store.beforeSettleIf = () -> {};
        store.afterSettleIf = written -> {};
    }

    StateListController.Imported importAll(ImportBody body, LockTokens leases) {
        return bulk.importAll(body, bulk.leases(body, leases).orThrow());
    }

    StateListController.Deleted clear(Glob pattern, LockTokens leases) {
        return bulk.clear(pattern, bulk.leases(pattern, leases).orThrow());
    }

    @Override
    public void close() {
        instance.close();
    }

    /** A real store, with places to stand at before and after it writes. */
    static final class SeamStore implements StateStore {

        private final StateStore store;
        volatile Consumer<List<StateRow>> beforeWrite = rows -> {};
        volatile Consumer<List<StateRow>> afterWrite = rows -> {};
        /** Whether a write that is alone looks and stores in one statement; else each step is one of its own. */
        volatile boolean atOnce;
        final AtomicInteger quietTries = new AtomicInteger();
        final AtomicInteger settledQuietly = new AtomicInteger();
        volatile Runnable beforeSettleIf = () -> {};
        volatile Consumer<Boolean> afterSettleIf = written -> {};

        SeamStore(StateStore store) {
            this.store = store;
        }

        @Override
        public Snapshot read(Collection<StateId> ids) {
            return store.read(ids);
        }

        @Override
        public List<Summary> list(Glob pattern, @Nullable StateId after, int limit) {
            return store.list(pattern, after, limit);
        }

        @Override
        public List<StateRow> page(Glob pattern, @Nullable StateId after, int limit, long maxBytes) {
            return store.page(pattern, after, limit, maxBytes);
        }

        @Override
        public List<StateId> unreadable(Glob pattern, int limit) {
            return store.unreadable(pattern, limit);
        }

        @Override
        public long count(Glob pattern) {
            return store.count(pattern);
        }

        @Override
        public void write(List<StateRow> rows) {
            beforeWrite.accept(rows);
            store.write(rows);
            afterWrite.accept(rows);
        }

        @Override
        public boolean settleIf(StateId id, String writeId, long version, Tail tail, long until) {
            if (!atOnce) {
                return false;
            }
            beforeSettleIf.run();
            boolean settled = store.settleIf(id, writeId, version, tail, until);
            afterSettleIf.accept(settled);
            return settled;
        }

        @Override
        public boolean settleIfQuiet(StateId id, long version, Tail tail, long until) {
            quietTries.incrementAndGet();
            beforeSettleIf.run();
            boolean settled = store.settleIfQuiet(id, version, tail, until);
            if (settled) {
                settledQuietly.incrementAndGet();
                afterSettleIf.accept(true);
            }
            return settled;
        }
    }
}

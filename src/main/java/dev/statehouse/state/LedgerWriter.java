package dev.statehouse.state;

import java.util.List;

import dev.statehouse.batch.BatchMeters;
import dev.statehouse.batch.BatchProperties;
import dev.statehouse.batch.Batcher;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/**
 * Writes by the ledger, atomically across all instances. Calls that come while others are under way are one batch:
 * {@link WriteBatch} has the steps. Writes of one id are never in two batches at a time, in this process; the log decides
 * all the same.
 */
@Component(AuditedWriter.PLAIN)
@ConditionalOnProperty(name = "statehouse.lock.strategy", havingValue = "ledger", matchIfMissing = true)
final class LedgerWriter implements StateWriter {

    private final WriteParts parts;
    private final Batcher<WriteJob> batches;
    private final Counter lost;

    LedgerWriter(WriteParts parts, BatchProperties properties, BatchMeters meters, MeterRegistry registry) {
        this.parts = parts;
        this.lost = Counter.builder("statehouse.writes.lost")
                .description("Writes that lost a race and were decided anew")
                .register(registry);
        this.batches = new Batcher<>("writes", properties.forWrites(), this::carryOut, meters);
    }

    @Override
    public List<Outcome> write(List<Write> writes) {
        WriteJob job = new WriteJob(writes);
        batches.submit(job);
        return job.outcomes();
    }

    private List<WriteJob> carryOut(List<WriteJob> jobs) {
        new WriteBatch(parts, jobs.stream().flatMap(job -> job.writes().stream()).filter(OpenWrite::isOpen).toList())
                .run();
        List<WriteJob> again = jobs.stream().filter(job -> !job.isComplete()).toList();
        lost.increment(again.size());
        return again;
    }
}

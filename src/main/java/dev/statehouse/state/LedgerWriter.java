package dev.statehouse.state;

import java.time.Duration;
import java.util.List;

import dev.statehouse.id.StateId;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Writes by the ledger, atomically across all instances. {@link WriteBatch} has the steps. */
@Component
@ConditionalOnProperty(name = "statehouse.lock.strategy", havingValue = "ledger", matchIfMissing = true)
final class LedgerWriter implements StateWriter {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final WriteParts parts;
    private final IdLocks locks = new IdLocks(PATIENCE);

    LedgerWriter(WriteParts parts) {
        this.parts = parts;
    }

    @Override
    public List<Outcome> write(List<Write> writes) {
        List<StateId> ids = writes.stream().map(Write::id).distinct().toList();
        try (IdLocks.Held held = locks.lock(ids)) {
            return new WriteBatch(parts, writes).run();
        }
    }
}

package dev.statehouse.state;

import java.time.Duration;
import java.util.List;

import dev.statehouse.id.StateId;
import org.springframework.stereotype.Component;

/** Writes states, atomically across all instances. {@link WriteBatch} has the steps. */
@Component
final class StateWriter {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final WriteParts parts;
    private final IdLocks locks = new IdLocks(PATIENCE);

    StateWriter(WriteParts parts) {
        this.parts = parts;
    }

    /** One outcome for each write, in their order; several writes of one id are done one after the other. */
    List<Outcome> write(List<Write> writes) {
        List<StateId> ids = writes.stream().map(Write::id).distinct().toList();
        try (IdLocks.Held held = locks.lock(ids)) {
            return new WriteBatch(parts, writes).run();
        }
    }

    Outcome.Done write(Write write) {
        return write(List.of(write)).getFirst().orThrow();
    }
}

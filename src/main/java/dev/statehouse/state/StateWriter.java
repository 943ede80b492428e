package dev.statehouse.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.StateId;
import org.springframework.stereotype.Component;

/** Reads what is there, decides each write, and stores what is decided in one INSERT. */
@Component
final class StateWriter {

    private final StateStore store;
    private final StateProperties properties;

    StateWriter(StateStore store, StateProperties properties) {
        this.store = store;
        this.properties = properties;
    }

    /** One outcome for each write, in their order; several writes of one id are done one after the other. */
    List<Outcome> write(List<Write> writes) {
        StateStore.Snapshot snapshot = store.read(writes.stream().map(Write::id).distinct().toList());
        Map<StateId, StoredState> current = new HashMap<>();
        Map<StateId, StateRow> rows = new LinkedHashMap<>();
        List<Outcome> outcomes = new ArrayList<>();
        for (Write write : writes) {
            StoredState state = current.computeIfAbsent(write.id(),
                    id -> new StoredState(id, snapshot.rows().get(id)));
            Decision decision = Decision.of(write, state, snapshot.serverTime(), properties.maxSize().toBytes());
            if (decision.row() != null) {
                rows.put(write.id(), decision.row());
                current.put(write.id(), new StoredState(write.id(), decision.row()));
            }
            outcomes.add(decision.outcome());
        }
        if (!rows.isEmpty()) {
            store.write(List.copyOf(rows.values()));
        }
        return outcomes;
    }

    Outcome.Done write(Write write) {
        return write(List.of(write)).getFirst().orThrow();
    }
}

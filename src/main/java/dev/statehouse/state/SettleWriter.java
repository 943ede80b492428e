package dev.statehouse.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Appender;
import dev.statehouse.lock.LeaseBook;
import dev.statehouse.lock.LiveLease;
import dev.statehouse.lock.WriteLock;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/**
 * Writes beside the Meltano add-on for ClickHouse, best effort: looks at the lock table and at the state, and stores what
 * comes of it. A write that builds on what is stored, made without a lease, takes the lock first, as the add-on does.
 */
@Component
@ConditionalOnProperty(name = "statehouse.lock.strategy", havingValue = "settle")
final class SettleWriter implements StateWriter {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final StateStore store;
    private final LeaseBook leases;
    private final WriteLock lock;
    private final Appender appender;
    private final StateProperties properties;
    private final IdLocks locks = new IdLocks(PATIENCE);

    SettleWriter(StateStore store, LeaseBook leases, WriteLock lock, Appender appender, StateProperties properties) {
        this.store = store;
        this.leases = leases;
        this.lock = lock;
        this.appender = appender;
        this.properties = properties;
    }

    @Override
    public List<Outcome> write(List<Write> writes) {
        List<StateId> ids = writes.stream().map(Write::id).distinct().toList();
        try (IdLocks.Held held = locks.lock(ids)) {
            Write first = writes.getFirst();
            return writes.size() == 1 && first.buildsOn() && first.leases().isEmpty()
                    ? lock.holding(first.id(), lease -> carryOut(List.of(first.under(lease)), Set.of(first.id())))
                    : carryOut(writes, new LinkedHashSet<>(ids));
        }
    }

    private List<Outcome> carryOut(List<Write> writes, Set<StateId> ids) {
        Set<StateId> touched = new LinkedHashSet<>(ids);
        writes.forEach(write -> touched.addAll(write.companions()));
        Map<StateId, LiveLease> live = leases.live(touched);
        StateStore.Snapshot snapshot = store.read(ids);
        Map<Integer, Outcome> outcomes = new LinkedHashMap<>();
        List<StateRow> rows = new ArrayList<>();
        for (StateId id : ids) {
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < writes.size(); i++) {
                if (writes.get(i).id().equals(id)) {
                    numbers.add(i);
                }
            }
            Composition.Found found = new Composition.Found(new StoredState(id, snapshot.rows().get(id)),
                    snapshot.serverTime(), of -> Optional.ofNullable(live.get(of)), 0, properties.maxSize().toBytes());
            Composition composition = Composition.of(numbers, writes, found, null);
            composition.decided().forEach(decided -> outcomes.put(decided.number(), decided.outcome()));
            if (composition.row() != null) {
                rows.add(composition.row());
            }
        }
        if (!rows.isEmpty()) {
            appender.ask(() -> {
                store.write(rows);
                return true;
            });
        }
        return java.util.stream.IntStream.range(0, writes.size())
                .mapToObj(outcomes::get)
                .map(java.util.Objects::requireNonNull)
                .toList();
    }
}

package dev.statehouse.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Appender;
import dev.statehouse.lock.LeaseBook;
import dev.statehouse.lock.LiveLease;
import dev.statehouse.lock.WriteLock;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/**
 * Writes beside the Meltano add-on for ClickHouse, best effort: looks at the lock table and at the state, and stores what
 * comes of it. A write that builds on what is stored, made without a lease, takes the lock first, as the add-on does.
 */
@Component(AuditedWriter.PLAIN)
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
        Write first = writes.getFirst();
        return writes.size() == 1 && first.buildsOn() && first.leases().isEmpty()
                ? lock.holding(first.id(), lease -> inTurn(List.of(first.under(lease))))
                : inTurn(writes);
    }

    private List<Outcome> inTurn(List<Write> writes) {
        Set<StateId> ids = writes.stream().map(Write::id).collect(Collectors.toCollection(LinkedHashSet::new));
        try (IdLocks.Held held = locks.lock(ids)) {
            return carryOut(writes, ids);
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
        store(rows);
        return IntStream.range(0, writes.size())
                .mapToObj(outcomes::get)
                .map(Objects::requireNonNull)
                .toList();
    }

    private void store(List<StateRow> rows) {
        try {
            if (!rows.isEmpty()) {
                appender.ask(() -> {
                    store.write(rows);
                    return true;
                });
            }
        } catch (Unavailable outage) {
            throw new Unavailable(ProblemCode.WRITE_UNCONFIRMED,
                    "ClickHouse went away in the middle of this write: it may"
                            + " be stored or not. Read the state again.",
                    Duration.ofSeconds(1), outage);
        }
    }
}

package dev.statehouse.ops;

import java.util.List;
import java.util.function.ToDoubleFunction;

import dev.statehouse.id.Glob;
import dev.statehouse.ledger.Time;
import dev.statehouse.lock.LeaseBook;
import dev.statehouse.lock.LiveLease;
import dev.statehouse.state.StateStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/**
 * The locks that are held, through whichever instance: all instances say the same, by ClickHouse's clock. Ids and owners are
 * left to {@code GET /locks}.
 */
@Component
final class LockGauges {

    /**
     * @param leases what is held
     * @param now the store's clock in epoch milliseconds, read later than that
     */
    private record Held(List<LiveLease> leases, long now) {

        double waiting() {
            return leases.stream().mapToInt(LiveLease::waiting).sum();
        }

        double oldestSeconds() {
            return leases.stream()
                    .mapToLong(lease -> now - lease.holder().acquiredAt().toEpochMilli())
                    .max()
                    .orElse(0) / 1000.0;
        }
    }

    LockGauges(MeterRegistry registry, LeaseBook leases, StateStore store, Time time) {
        Survey<Held> survey = new Survey<>("locks", () -> {
            List<LiveLease> live = leases.live(Glob.ALL, null, Integer.MAX_VALUE);
            return new Held(live, store.read(List.of()).serverTime());
        }, time);
        gauge(registry, survey, "statehouse.locks.held", "Locks that are held", held -> held.leases().size());
        gauge(registry, survey, "statehouse.locks.waiting", "Calls that wait for a lock", Held::waiting);
        gauge(registry, survey, "statehouse.lock.oldest.seconds", "How long the lock is held that is held longest",
                Held::oldestSeconds);
    }

    private static void gauge(MeterRegistry registry, Survey<Held> survey, String name, String description,
            ToDoubleFunction<Held> part) {
        Gauge.builder(name, () -> survey.read(part)).description(description).register(registry);
    }
}

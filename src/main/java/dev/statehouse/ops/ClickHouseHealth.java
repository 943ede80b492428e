package dev.statehouse.ops;

import java.util.List;

import dev.statehouse.problem.Problem;
import dev.statehouse.state.StateStore;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

/**
 * Whether this instance can serve: asks the state table the way calls do. Part of readiness alone; a restart of the
 * service brings no ClickHouse back.
 */
@Component("clickhouse")
class ClickHouseHealth extends AbstractHealthIndicator {

    private final StateStore store;

    ClickHouseHealth(StateStore store) {
        this.store = store;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        try {
            store.read(List.of());
            builder.up();
        } catch (Problem e) {
            builder.down().withDetail("code", e.code().code()).withDetail("reason", e.detail());
        }
    }
}

package dev.statehouse.clickhouse;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Holds where no ClickHouse is named: then the service brings its own. */
final class EngineNeeded implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return Binder.get(context.getEnvironment())
                .bind("statehouse.clickhouse", ClickHouseProperties.class)
                .map(properties -> !properties.namesClickHouse())
                .orElse(true);
    }
}

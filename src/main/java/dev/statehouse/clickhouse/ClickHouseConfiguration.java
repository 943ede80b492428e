package dev.statehouse.clickhouse;

import com.zaxxer.hikari.HikariDataSource;
import dev.statehouse.batch.BatchMeters;
import dev.statehouse.batch.BatchProperties;
import dev.statehouse.embedded.EmbeddedEngine;
import dev.statehouse.embedded.EmbeddedProperties;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import dev.statehouse.ledger.Time;
import dev.statehouse.lock.StrategyName;
import dev.statehouse.trace.Spans;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Puts the way to ClickHouse together. */
@Configuration(proxyBeanMethods = false)
class ClickHouseConfiguration {

    @Bean
    @Conditional(EngineNeeded.class)
    EmbeddedEngine embeddedEngine(EmbeddedProperties properties) {
        return EmbeddedEngine.start(properties);
    }

    @Bean
    ClickHouseAddress clickHouseAddress(ClickHouseProperties properties, ObjectProvider<EmbeddedEngine> engine) {
        EmbeddedEngine running = engine.getIfAvailable();
        return running == null ? ClickHouseAddress.of(properties) : ClickHouseAddress.of(running.address());
    }

    @Bean
    TableName stateTable(ClickHouseProperties properties) {
        return TableName.of(properties);
    }

    @Bean
    HikariDataSource dataSource(ClickHouseAddress address, ClickHouseProperties properties) {
        return Pool.open(address, properties);
    }

    /** In place of Spring Boot's own, so that whatever is built on a JdbcTemplate leaves values alone. */
    @Bean
    JdbcTemplate jdbcTemplate(HikariDataSource dataSource) {
        return new VerbatimJdbcTemplate(dataSource);
    }

    @Bean
    SchemaKeeper schemaKeeper(TableName table, JdbcTemplate jdbc, ClickHouseAddress address, StrategyName strategy) {
        StateSchema state = new StateSchema(table, Pool.outside(address, table));
        LedgerSchema ledger = new LedgerSchema(table, strategy.name());
        LockSchema lock = new LockSchema(table);
        return new SchemaKeeper(asked -> {
            state.apply(asked);
            ledger.apply(asked);
            if (strategy.sharesLockTable()) {
                lock.apply(asked);
            }
        }, jdbc, address);
    }

    @Bean
    ClickHouse clickHouse(JdbcTemplate jdbc, SchemaKeeper schema, ClickHouseProperties properties,
            MeterRegistry meters, Spans spans) {
        return new ClickHouse(jdbc, schema, properties.poolSize(), properties.timeout(), meters, spans);
    }

    @Bean
    ClickHouseStateStore stateStore(ClickHouse clickHouse, TableName table, BatchProperties batches,
            BatchMeters meters, ClickHouseProperties properties) {
        return new ClickHouseStateStore(clickHouse, table, batches.forReads(properties.timeout()), meters);
    }

    @Bean
    ClickHouseLedger ledger(ClickHouse clickHouse, TableName table, Time time) {
        return new ClickHouseLedger(clickHouse, table, time);
    }

    @Bean
    ClickHouseTableSizes tableSizes(ClickHouse clickHouse, TableName table) {
        return new ClickHouseTableSizes(clickHouse, table);
    }

    @Bean
    @ConditionalOnProperty(name = "statehouse.lock.strategy", havingValue = "settle")
    ClickHouseLockTable lockTable(ClickHouse clickHouse, TableName table) {
        return new ClickHouseLockTable(clickHouse, table);
    }
}

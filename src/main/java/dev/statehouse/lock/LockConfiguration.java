package dev.statehouse.lock;

import java.time.Duration;
import java.util.Locale;

import dev.statehouse.ledger.Appender;
import dev.statehouse.ledger.EventIds;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Settler;
import dev.statehouse.ledger.Snapshots;
import dev.statehouse.ledger.Time;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Puts the locks together, and what else stands on the ledger. */
@Configuration(proxyBeanMethods = false)
class LockConfiguration {

    private static final Duration WHILE_NOBODY_WAITS = Duration.ofMinutes(1);

    @Bean
    StrategyName strategyName(LockProperties properties) {
        return new StrategyName(properties.strategy().name().toLowerCase(Locale.ROOT));
    }

    /** Before beans depend on which one it is. */
    @Bean
    static BeanFactoryPostProcessor readableStrategy(Environment environment) {
        return beans -> Binder.get(environment).bind("statehouse.lock.strategy", LockProperties.Strategy.class);
    }

    /** While a caller waits: for one answer that stays away, and time to ask again. By default 8 s. */
    @Bean
    Appender appender(Ledger ledger, Time time, @Value("${statehouse.clickhouse.timeout}") Duration timeout) {
        return new Appender(ledger, time, timeout.multipliedBy(8).dividedBy(5));
    }

    @Bean
    Settler settler(Ledger ledger, Appender appender, Time time) {
        return new Settler(ledger, appender, time);
    }

    @Bean
    Snapshots snapshots(Ledger ledger, EventIds ids) {
        return new Snapshots(ledger, ids);
    }

    /** Exact, on a ledger of one ClickHouse server. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "statehouse.lock.strategy", havingValue = "ledger", matchIfMissing = true)
    static class ByLedger {

        @Bean
        LockStrategy locks(Ledger ledger, Appender appender, Settler settler, Snapshots snapshots, Time time,
                EventIds ids, LockProperties properties, LockMeters meters) {
            Appender patient = new Appender(ledger, time, WHILE_NOBODY_WAITS);
            LedgerParts parts = new LedgerParts(ledger, appender, patient, settler, snapshots, time, ids, meters);
            return new LedgerLocks(parts, new Watches(parts, properties.poll()));
        }

        @Bean
        LeaseBook leases(Ledger ledger) {
            return LeaseBook.of(ledger);
        }
    }

    /** Best effort, together with the Meltano add-on for ClickHouse. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "statehouse.lock.strategy", havingValue = "settle")
    static class BySettling {

        private static final Duration RETRY = Duration.ofMillis(250);

        @Bean
        SettleLeases leases(LockTable table, LockProperties properties) {
            return new SettleLeases(table, properties.staleAfter(), properties.settle().multipliedBy(2));
        }

        @Bean
        LockStrategy locks(LockTable table, SettleLeases leases, Time time, LockProperties properties) {
            return new SettleLocks(new SettleParts(table, leases, time, properties.settle(), RETRY));
        }

        @Bean
        WriteLock writeLock(LockStrategy locks, EventIds ids, LockProperties properties) {
            return new WriteLock(locks, ids, properties.patience());
        }
    }
}

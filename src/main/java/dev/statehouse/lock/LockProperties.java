package dev.statehouse.lock;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How locks work.
 *
 * @param strategy who decides: {@code ledger}, exact on one ClickHouse server
 * @param ttl the length of a lease where the caller names none, 1 s to 24 h
 * @param poll how often one that waits looks, for each id that is waited for
 */
@ConfigurationProperties("statehouse.lock")
record LockProperties(@DefaultValue("ledger") Strategy strategy, @DefaultValue("60s") Duration ttl,
        @DefaultValue("25ms") Duration poll) {

    /** Who decides. */
    enum Strategy {
        LEDGER
    }

    LockProperties {
        if (ttl.compareTo(Duration.ofSeconds(LockController.MIN_TTL)) < 0
                || ttl.compareTo(Duration.ofSeconds(LockController.MAX_TTL)) > 0) {
            throw new IllegalArgumentException("statehouse.lock.ttl must be between 1s and 24h.");
        }
        if (poll.compareTo(Duration.ofMillis(1)) < 0 || poll.compareTo(Duration.ofSeconds(2)) > 0) {
            throw new IllegalArgumentException("statehouse.lock.poll must be between 1ms and 2s.");
        }
    }
}

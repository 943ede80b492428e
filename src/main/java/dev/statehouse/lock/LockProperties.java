package dev.statehouse.lock;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * How locks work.
 *
 * @param strategy who decides: {@code ledger}, exact on one ClickHouse server; {@code settle}, as the Meltano add-on for
 *            ClickHouse and together with it, best effort
 * @param ttl the length of a lease where the caller names none, 1 s to 24 h
 * @param poll how often one that waits looks, for each id that is waited for ({@code ledger})
 * @param settle how long one that wants the lock waits for the others' rows ({@code settle})
 * @param staleAfter after what time a row of the lock table counts no more ({@code settle})
 * @param patience {@code wait}: how long a PATCH without a lease waits for the lock that it takes ({@code settle})
 */
@ConfigurationProperties("statehouse.lock")
record LockProperties(@DefaultValue("ledger") Strategy strategy, @DefaultValue("60s") Duration ttl,
        @DefaultValue("25ms") Duration poll, @DefaultValue("1s") Duration settle,
        @DefaultValue("300s") Duration staleAfter, @Name("wait") @DefaultValue("30s") Duration patience) {

    /** Who decides. */
    enum Strategy {
        LEDGER, SETTLE
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

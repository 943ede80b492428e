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
 * @param ttl the length of a lease where the caller names none, 1 s to 24 h ({@code settle}: 2 s at least)
 * @param poll how often one that waits looks, for each id that is waited for ({@code ledger})
 * @param settle how long one that wants the lock waits for the others' rows ({@code settle})
 * @param staleAfter after what time a row of the lock table counts no more, 300 s at the most, for the table forgets it
 *            then ({@code settle})
 * @param patience {@code wait}: how long a PATCH without a lease waits for the lock that it takes ({@code settle})
 */
@ConfigurationProperties("statehouse.lock")
record LockProperties(@DefaultValue("ledger") Strategy strategy, @DefaultValue("60s") Duration ttl,
        @DefaultValue("25ms") Duration poll, @DefaultValue("1s") Duration settle,
        @DefaultValue("300s") Duration staleAfter, @Name("wait") @DefaultValue("30s") Duration patience) {

    /** As its DDL says, the add-on's and ours. */
    private static final Duration TABLE_KEEPS = Duration.ofSeconds(300);

    /** Who decides. */
    enum Strategy {
        LEDGER, SETTLE
    }

    LockProperties {
        check("ttl", ttl, Duration.ofSeconds(LockController.MIN_TTL), Duration.ofSeconds(LockController.MAX_TTL));
        check("poll", poll, Duration.ofMillis(1), Duration.ofSeconds(2));
        check("settle", settle, Duration.ofMillis(100), Duration.ofSeconds(60));
        check("stale-after", staleAfter, settle.multipliedBy(5), TABLE_KEEPS);
        check("wait", patience, Duration.ZERO, Duration.ofMinutes(5));
    }

    private static void check(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException("statehouse.lock.%s must be between %d ms and %d ms, not %d ms."
                    .formatted(name, least.toMillis(), most.toMillis(), value.toMillis()));
        }
    }
}

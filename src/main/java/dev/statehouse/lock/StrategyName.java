package dev.statehouse.lock;

/**
 * Who decides about locks, for the mark in the ledger: two strategies on one table would not see each other's holders.
 *
 * @param name as it is configured
 */
public record StrategyName(String name) {

    /** Whether it works on the lock table of the Meltano add-on for ClickHouse. */
    public boolean sharesLockTable() {
        return name.equals("settle");
    }
}

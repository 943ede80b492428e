package dev.statehouse.lock;

import java.time.Duration;

import dev.statehouse.ledger.Time;

/**
 * What locks by settling are made of.
 *
 * @param settle how long to wait for the others' rows
 * @param retry how long to wait while somebody has the lock
 */
record SettleParts(LockTable table, SettleLeases leases, Time time, Duration settle, Duration retry) {}

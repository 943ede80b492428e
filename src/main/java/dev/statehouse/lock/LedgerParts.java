package dev.statehouse.lock;

import dev.statehouse.ledger.Appender;
import dev.statehouse.ledger.EventIds;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Settler;
import dev.statehouse.ledger.Snapshots;
import dev.statehouse.ledger.Time;

/**
 * What the classes of the {@code ledger} strategy work with.
 *
 * @param appender gives up while a caller still waits for the answer
 * @param patient goes on for longer, where nobody waits
 * @param meters what an operator sees of locks
 */
record LedgerParts(Ledger ledger, Appender appender, Appender patient, Settler settler, Snapshots snapshots, Time time,
        EventIds ids, LockMeters meters) {}

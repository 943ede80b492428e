package dev.statehouse.state;

import dev.statehouse.ledger.Appender;
import dev.statehouse.ledger.EventIds;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Settler;
import dev.statehouse.ledger.Snapshots;
import dev.statehouse.ledger.Time;
import org.springframework.stereotype.Component;

/** What a write works with. */
@Component
record WriteParts(StateLog log, StateStore store, Ledger ledger, Appender appender, Settler settler,
        Snapshots snapshots, DoneRows doneRows, WriteMemory memory, Time time, EventIds ids,
        StateProperties properties) {}

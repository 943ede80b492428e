package dev.statehouse.state;

import java.util.Collection;
import java.util.Map;

import dev.statehouse.id.StateId;
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
        Snapshots snapshots, DoneRows doneRows, WriteMemory memory, Quiet quiet, Time time, EventIds ids,
        StateProperties properties) {

    /** The versions of the newest rows of these ids, by now. */
    Map<StateId, Long> versions(Collection<StateId> ids) {
        if (ids.isEmpty()) {
            return Map.of();
        }
        long sentAt = time.nanos();
        Map<StateId, Long> versions = ledger.storedVersions(ids);
        memory.sawRows(ids, sentAt);
        return versions;
    }
}

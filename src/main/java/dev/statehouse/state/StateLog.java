package dev.statehouse.state;

import java.util.Collection;
import java.util.Map;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Look;

/** The port by which a write sees what is there: the log and the state table in one look. */
public interface StateLog {

    /**
     * What one SELECT gave, in this order: the server's time, the log, the state table.
     *
     * @param look the server's time and the log
     * @param rows the newest row of each id that has one, rows with neither half included
     */
    record Reading(Look look, Map<StateId, StateRow> rows) {}

    Reading read(Collection<StateId> ids);
}

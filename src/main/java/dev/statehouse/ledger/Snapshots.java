package dev.statehouse.ledger;

import java.util.List;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.Unavailable;

/** Puts a snapshot into the log where the newest is far back, so that old rows may be forgotten and need not travel. */
public final class Snapshots {

    private final Ledger ledger;
    private final EventIds ids;

    public Snapshots(Ledger ledger, EventIds ids) {
        this.ledger = ledger;
        this.ids = ids;
    }

    /** @return the same, for chaining */
    public Folded keepUp(StateId id, Folded folded) {
        if (folded.snapshotDue()) {
            try {
                ledger.append(List.of(Entry.snapshot(id, ids.next(), folded)));
            } catch (Unavailable later) {
                // The next one to come by puts it there.
            }
        }
        return folded;
    }
}

package dev.statehouse.lock;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Ledger;
import org.jspecify.annotations.Nullable;

/** Who holds what, for calls that write. */
public interface LeaseBook {

    /** What the ledger says of leases. */
    static LeaseBook of(Ledger ledger) {
        return new LedgerLeases(ledger);
    }

    /** The leases that are live on these ids. */
    Map<StateId, LiveLease> live(Collection<StateId> ids);

    /**
     * The leases that are live on ids that match, in byte order.
     *
     * @param after only ids behind this one; null for all
     * @param limit how many at the most
     */
    List<LiveLease> live(Glob pattern, @Nullable StateId after, int limit);
}

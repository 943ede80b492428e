package dev.statehouse.lock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Ledger;
import org.jspecify.annotations.Nullable;

/** Who holds what, for calls that write. */
public interface LeaseBook {

    /** So many ids are asked for at a time. */
    int BLOCK_IDS = 500;

    /** What the ledger says of leases. */
    static LeaseBook of(Ledger ledger) {
        return new LedgerLeases(ledger);
    }

    /** The leases that are live on these ids. */
    Map<StateId, LiveLease> live(Collection<StateId> ids);

    /**
     * Ids that match and may have a live lease, in byte order.
     *
     * @param after only ids behind this one; null for all
     * @param limit how many at the most: fewer are all that there are
     */
    List<StateId> candidates(Glob pattern, @Nullable StateId after, int limit);

    /**
     * The leases that are live on ids that match, in byte order.
     *
     * @param after only ids behind this one; null for all
     * @param limit how many at the most
     */
    default List<LiveLease> live(Glob pattern, @Nullable StateId after, int limit) {
        List<LiveLease> found = new ArrayList<>();
        @Nullable
        StateId from = after;
        List<StateId> block;
        do {
            block = candidates(pattern, from, BLOCK_IDS);
            Map<StateId, LiveLease> live = block.isEmpty() ? Map.of() : live(block);
            block.stream().map(live::get).filter(Objects::nonNull).forEach(found::add);
            from = block.isEmpty() ? from : block.getLast();
        } while (block.size() == BLOCK_IDS && found.size() < limit);
        return found.stream().limit(limit).toList();
    }
}

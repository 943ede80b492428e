package dev.statehouse.lock;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Look;
import org.jspecify.annotations.Nullable;

/** What the ledger says of leases. */
final class LedgerLeases implements LeaseBook {

    private final Ledger ledger;

    LedgerLeases(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public Map<StateId, LiveLease> live(Collection<StateId> ids) {
        Map<StateId, LiveLease> live = new HashMap<>();
        List<StateId> all = List.copyOf(ids);
        for (int from = 0; from < all.size(); from += BLOCK_IDS) {
            List<StateId> block = all.subList(from, Math.min(from + BLOCK_IDS, all.size()));
            Look look = ledger.look(block);
            block.forEach(id -> live(id, look).ifPresent(lease -> live.put(id, lease)));
        }
        return live;
    }

    private static Optional<LiveLease> live(StateId id, Look look) {
        Sight sight = Sight.of(id, look);
        return sight.holder()
                .map(
                        holder -> new LiveLease(holder.lock(), LockProblems.held(id, holder), sight.queue().size()));
    }

    @Override
    public List<StateId> candidates(Glob pattern, @Nullable StateId after, int limit) {
        return ledger.lockCandidates(pattern, after, limit);
    }
}

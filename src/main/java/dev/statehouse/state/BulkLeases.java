package dev.statehouse.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Holder;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Look;
import dev.statehouse.lock.LockProblems;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.Locked;
import org.jspecify.annotations.Nullable;

/**
 * Which of many ids a call may write, checked before anything is written.
 *
 * @param byId the caller's own leases, as hashes
 */
record BulkLeases(Map<StateId, String> byId) {

    private static final int BLOCK_IDS = 1000;

    /** @throws Locked if one of them is locked by somebody else */
    static BulkLeases ofIds(Ledger ledger, Collection<StateId> ids, LockTokens leases) {
        Map<StateId, Holder> held = new HashMap<>();
        List<StateId> all = List.copyOf(ids);
        for (int from = 0; from < all.size(); from += BLOCK_IDS) {
            held.putAll(held(ledger, all.subList(from, Math.min(from + BLOCK_IDS, all.size()))));
        }
        return of(held, leases);
    }

    /** @throws Locked if a state that matches is locked by somebody else */
    static BulkLeases ofPattern(Ledger ledger, StateStore store, Glob pattern, LockTokens leases) {
        Map<StateId, Holder> held = new HashMap<>();
        List<StateId> block = ledger.lockCandidates(pattern, null, BLOCK_IDS);
        while (!block.isEmpty()) {
            Map<StateId, Holder> found = held(ledger, block);
            Map<StateId, StateRow> rows = store.read(found.keySet()).rows();
            found.forEach((id, holder) -> {
                if (new StoredState(id, rows.get(id)).exists()) {
                    held.put(id, holder);
                }
            });
            block = ledger.lockCandidates(pattern, block.getLast(), BLOCK_IDS);
        }
        return of(held, leases);
    }

    private static Map<StateId, Holder> held(Ledger ledger, List<StateId> ids) {
        Map<StateId, Holder> held = new HashMap<>();
        Look look = ledger.look(ids);
        ids.forEach(id -> LeaseRule.live(look.fold(id).state(), look.serverTime())
                .ifPresent(holder -> held.put(id, holder)));
        return held;
    }

    private static BulkLeases of(Map<StateId, Holder> held, LockTokens leases) {
        Set<String> unused = new HashSet<>(leases.hashes());
        Map<StateId, String> own = new HashMap<>();
        List<Locked.Holder> others = new ArrayList<>();
        held.forEach((id, holder) -> {
            if (leases.hashes().contains(holder.lock())) {
                own.put(id, holder.lock());
                unused.remove(holder.lock());
            } else {
                others.add(LockProblems.held(id, holder));
            }
        });
        if (!others.isEmpty()) {
            others.sort(java.util.Comparator.comparing(Locked.Holder::stateId));
            throw LockProblems.locked(others, 0);
        }
        if (!unused.isEmpty()) {
            throw LockProblems.lost();
        }
        return new BulkLeases(own);
    }

    Write write(StateId id, Change change) {
        @Nullable
        String lease = byId.get(id);
        return new Write(id, Preconditions.NONE, change, lease == null ? Set.of() : Set.of(lease));
    }
}

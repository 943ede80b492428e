package dev.statehouse.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.lock.LeaseBook;
import dev.statehouse.lock.LiveLease;
import dev.statehouse.lock.LockProblems;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.Locked;
import org.jspecify.annotations.Nullable;

/**
 * Which of many ids a call may write, as the log says it before anything is written.
 *
 * @param byId the caller's own leases, as hashes
 * @param others what somebody else holds, in the order of the ids
 * @param lost whether one of the caller's leases is on none of these ids
 * @param waiting how many wait for what the caller holds
 */
record BulkLeases(Map<StateId, String> byId, List<Locked.Holder> others, boolean lost, int waiting) {

    private static final int BLOCK_IDS = 1000;

    static BulkLeases ofIds(LeaseBook book, Collection<StateId> ids, LockTokens leases) {
        return of(book.live(ids), leases);
    }

    static BulkLeases ofPattern(LeaseBook book, StateStore store, Glob pattern, LockTokens leases) {
        Map<StateId, LiveLease> held = new HashMap<>();
        List<LiveLease> block = book.live(pattern, null, BLOCK_IDS);
        while (!block.isEmpty()) {
            Map<StateId, StateRow> rows = store.read(block.stream().map(BulkLeases::id).toList()).rows();
            block.stream()
                    .filter(live -> new StoredState(id(live), rows.get(id(live))).exists()
                            || leases.hashes().contains(live.lock()))
                    .forEach(live -> held.put(id(live), live));
            block = book.live(pattern, id(block.getLast()), BLOCK_IDS);
        }
        return of(held, leases);
    }

    private static StateId id(LiveLease live) {
        return live.holder().stateId();
    }

    private static BulkLeases of(Map<StateId, LiveLease> held, LockTokens leases) {
        Set<String> unused = new HashSet<>(leases.hashes());
        Map<StateId, String> own = new HashMap<>();
        List<Locked.Holder> others = new ArrayList<>();
        int waiting = 0;
        for (Map.Entry<StateId, LiveLease> entry : held.entrySet()) {
            LiveLease live = entry.getValue();
            if (leases.hashes().contains(live.lock())) {
                own.put(entry.getKey(), live.lock());
                unused.remove(live.lock());
                waiting += live.waiting();
            } else {
                others.add(live.holder());
            }
        }
        others.sort(Comparator.comparing(Locked.Holder::stateId));
        return new BulkLeases(own, others, !unused.isEmpty(), waiting);
    }

    /**
     * @return this
     * @throws Locked if one of them is locked by somebody else
     * @throws dev.statehouse.problem.Conflict if one of the caller's leases has ended
     */
    BulkLeases orThrow() {
        if (!others.isEmpty()) {
            throw LockProblems.locked(others, waiting);
        }
        if (lost) {
            throw LockProblems.lost().underLease(waiting);
        }
        return this;
    }

    Write write(StateId id, Change change) {
        @Nullable
        String lease = byId.get(id);
        return new Write(id, Preconditions.NONE, change, lease == null ? Set.of() : Set.of(lease));
    }
}

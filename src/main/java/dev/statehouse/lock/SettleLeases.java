package dev.statehouse.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import org.jspecify.annotations.Nullable;

/** What the add-on's lock table says of leases: of the rows that still count, the lowest has it. */
final class SettleLeases implements LeaseBook {

    private final LockTable table;
    private final Duration staleAfter;
    private final Duration grace;

    /**
     * @param staleAfter after what time a row counts no more
     * @param grace how long a row that is over is left where it is: it may be a candidate that is about to win
     */
    SettleLeases(LockTable table, Duration staleAfter, Duration grace) {
        this.table = table;
        this.staleAfter = staleAfter;
        this.grace = grace;
    }

    SettleSight look(StateId id) {
        LockTable.Candidates seen = table.of(List.of(id));
        List<Candidacy> all = seen.candidates().stream().map(row -> Candidacy.of(row, staleAfter)).toList();
        long now = seen.serverTime();
        long lately = now - grace.toMillis();
        return new SettleSight(now, all.stream().filter(each -> each.isLiveAt(lately)).toList(),
                all.stream().filter(each -> each.isLiveAt(now)).toList(),
                all.stream().filter(each -> !each.isLiveAt(lately)).toList());
    }

    @Override
    public Map<StateId, LiveLease> live(Collection<StateId> ids) {
        Map<StateId, LiveLease> live = new LinkedHashMap<>();
        List<StateId> all = List.copyOf(ids);
        for (int from = 0; from < all.size(); from += BLOCK_IDS) {
            LockTable.Candidates seen = table.of(all.subList(from, Math.min(from + BLOCK_IDS, all.size())));
            for (LockTable.Candidate row : seen.candidates()) {
                Candidacy candidacy = Candidacy.of(row, staleAfter);
                if (candidacy.isLiveAt(seen.serverTime())) {
                    live.putIfAbsent(row.stateId(), new LiveLease(candidacy.lock(), candidacy.holder(), 0));
                }
            }
        }
        return live;
    }

    @Override
    public List<StateId> candidates(Glob pattern, @Nullable StateId after, int limit) {
        return table.ids(pattern, after, limit);
    }
}

package dev.statehouse.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import dev.statehouse.id.LockId;
import org.jspecify.annotations.Nullable;

/**
 * One id as the lock table shows it. A lock may have several rows: a renewal was cut off before it removed the one before.
 *
 * @param serverTime server's clock, epoch milliseconds
 * @param candidates the rows that somebody may stand by, lowest first
 * @param live those of them whose time is not over
 * @param over rows whose time is long over
 */
record SettleSight(long serverTime, List<Candidacy> candidates, List<Candidacy> live, List<Candidacy> over) {

    /** Who has the lock, by the row of it that lasts longest; null if nobody has. */
    @Nullable
    Candidacy holder() {
        return live.isEmpty() ? null : longest(live.getFirst().lock());
    }

    /** That row, if its lock is the one that holds; null if another has the lock, or the row's time is over. */
    @Nullable
    Candidacy holder(String text) {
        return live.stream()
                .filter(each -> each.row().lockId().equals(text) && each.lock().equals(live.getFirst().lock()))
                .findFirst()
                .orElse(null);
    }

    /** The row of that lock that lasts longest; null if it stands and holds no more. */
    @Nullable
    Candidacy longest(String lock) {
        return live.stream()
                .filter(each -> each.lock().equals(lock))
                .max(Comparator.comparingLong(Candidacy::expiresAt))
                .orElse(null);
    }

    /** Whether that row wins over all that stand. */
    boolean isLowest(String text) {
        return !candidates.isEmpty() && candidates.getFirst().row().lockId().equals(text);
    }

    /** All rows of that lock, over or not, as their texts. */
    List<String> rowsOf(String lock) {
        return Stream.concat(candidates.stream(), over.stream())
                .filter(each -> each.lock().equals(lock))
                .map(each -> each.row().lockId())
                .toList();
    }

    /** How many stand beside the holder at this moment: a hint at how many wait. */
    int waiting() {
        return (int) Math.max(0, live.stream().map(Candidacy::lock).distinct().count() - 1);
    }

    /** How long that row lasts from here on. */
    Duration restOf(Candidacy row) {
        return Duration.ofMillis(row.expiresAt() - serverTime);
    }

    /**
     * @param row that of the holder
     * @param ago how long ago this sight was asked for
     * @param fresh whether it was granted just now
     */
    Lease lease(LockId lockId, Candidacy row, Duration ago, boolean fresh) {
        return new Lease(row.row().stateId(), lockId, row.owner(), row.fencingToken(),
                Instant.ofEpochMilli(row.row().lockedAt()), Instant.ofEpochMilli(row.expiresAt()),
                restOf(row).minus(ago), fresh, waiting());
    }
}

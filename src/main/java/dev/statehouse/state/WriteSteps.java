package dev.statehouse.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Besides;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Tail;
import dev.statehouse.problem.Unavailable;
import org.jspecify.annotations.Nullable;

/**
 * How decided writes are made:
 * <ol>
 * <li>Announce: append what they come to to the log in one INSERT, a row an id: {@link Announcement}. On an error or a lost
 * answer the same INSERT again.
 * <li>Look at the log. A row counts, or is nothing for good because a lock or another write came between; then its writes
 * start again in another batch, under a new name.
 * <li>Store: one INSERT of the rows that count; on an error or a lost answer the same again. Then answer.
 * </ol>
 * The write of one id looks and stores in one statement first: {@link StoreAtOnce}. More than five minutes after it was read
 * what is there, as of a process that was stopped, nothing is sent any more, and no look proves anything but that somebody
 * else stored the row.
 */
final class WriteSteps {

    private static final Duration PROVES_FOR = Duration.ofMinutes(5);

    private final WriteParts parts;
    private final OpenWrites open;
    private final List<Announcement> announcements;
    private final WriteSight sight;
    private final Set<StateId> unseen;
    private final long readAt;

    /** @param unseen ids whose rows were remembered, and may have been changed past the log since */
    WriteSteps(WriteParts parts, OpenWrites open, List<Announcement> announcements, WriteSight sight,
            Set<StateId> unseen) {
        this.parts = parts;
        this.open = open;
        this.announcements = announcements;
        this.sight = sight;
        this.unseen = unseen;
        this.readAt = sight.look().sentAt();
    }

    void run() {
        try {
            CompletableFuture<Optional<Map<StateId, Long>>> beside = unseen.isEmpty()
                    ? CompletableFuture.completedFuture(Optional.of(Map.of()))
                    : Besides.ask(() -> parts.versions(unseen));
            List<Entry> entries = announce();
            // Before the log: a version that one of its writes has is explained by it then.
            Map<StateId, Long> versions = beside.join()
                    .orElseGet(() -> parts.appender().ask(() -> parts.versions(unseen)));
            Optional<StoreAtOnce> atOnce = proves() ? atOnce(entries, versions) : Optional.empty();
            if (atOnce.isPresent() && atOnce.get().succeeds()) {
                Announcement stored = announcements.getFirst();
                answer(stored, sight.waiting(stored.id()));
            } else {
                Verdict verdict = Verdict.of(parts, announcements, versions);
                store(counting(verdict), verdict, atOnce.isEmpty());
            }
        } catch (Unavailable outage) {
            open.refuse(announcements.stream().map(Announcement::id).toList(), OpenWrite.unconfirmed(outage));
        }
    }

    private List<Entry> announce() {
        List<Entry> done = parts.doneRows().take();
        List<Entry> entries = new ArrayList<>(done);
        announcements.forEach(a -> entries.addAll(a.entries(sight.look().serverTime(), parts.ids().next())));
        long sentAt = parts.time().nanos();
        parts.appender().resend(() -> parts.ledger().append(entries), readAt, PROVES_FOR);
        parts.memory().told(done, sentAt);
        return entries;
    }

    private Optional<StoreAtOnce> atOnce(List<Entry> entries, Map<StateId, Long> versions) {
        return announcements.size() > 1
                ? Optional.empty()
                : StoreAtOnce.of(parts, sight, announcements.getFirst(), entries, versions);
    }

    private boolean proves() {
        return parts.time().since(readAt).compareTo(PROVES_FOR) <= 0;
    }

    private List<Announcement> counting(Verdict verdict) {
        boolean proves = proves();
        List<Announcement> counting = new ArrayList<>();
        for (Announcement announcement : announcements) {
            if (verdict.isDone(announcement)) {
                open.answer(announcement.composition().decided(), verdict.waiting(announcement));
            } else if (!proves) {
                open.refuse(List.of(announcement.id()),
                        OpenWrite.unconfirmed("This instance was stopped for too long", null));
            } else if (verdict.counts(announcement) && verdict.isHidden(announcement)) {
                open.counted(announcement.id());
            } else if (verdict.counts(announcement)) {
                counting.add(announcement);
            }
        }
        return counting;
    }

    /** @param keepsTail whether the next write may try to store at once: not after one that did so in vain */
    private void store(List<Announcement> counting, Verdict verdict, boolean keepsTail) {
        if (!counting.isEmpty()) {
            List<StateRow> rows = counting.stream().map(Announcement::toStore).toList();
            parts.appender().resend(() -> parts.store().write(rows), readAt, PROVES_FOR);
            counting.forEach(announcement -> {
                // Where another write counted on top of it meanwhile, the row is not what the next one builds on.
                if (verdict.isLast(announcement)) {
                    @Nullable
                    Tail tail = keepsTail ? Tail.of(verdict.look(), announcement.id()).fresh(true) : null;
                    parts.memory().keep(verdict.look(), verdict.state(announcement), tail, announcement.toStore());
                }
                answer(announcement, verdict.waiting(announcement));
            });
        }
    }

    private void answer(Announcement stored, int waiting) {
        parts.doneRows().add(stored.id(), stored.eventId());
        open.answer(stored.composition().decided(), waiting);
    }
}

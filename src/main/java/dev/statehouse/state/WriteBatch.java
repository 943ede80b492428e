package dev.statehouse.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Besides;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Look;
import dev.statehouse.problem.Unavailable;

/**
 * Some writes of any ids, made together:
 * <ol>
 * <li>Read what is there, and help what another left unfinished: {@link WriteSight}. Where this instance wrote moments ago,
 * what it remembers is enough: {@link WriteMemory}. Who builds on the row sees first that it is still the newest.
 * <li>Announce: decide each write, and append what they come to to the log in one INSERT, a row an id:
 * {@link Announcement}. On an error or a lost answer the same INSERT again.
 * <li>Look at the log. A row counts, or is nothing for good because a lock or another write came between; then its writes
 * start again from 1 in another batch, under a new name.
 * <li>Store: one INSERT of the rows that count; on an error or a lost answer the same again. Then answer.
 * </ol>
 * More than five minutes after 1, as of a process that was stopped, nothing is sent any more, and no look proves anything
 * but that somebody else stored the row.
 */
final class WriteBatch {

    private static final Duration PROVES_FOR = Duration.ofMinutes(5);

    private final WriteParts parts;
    private final OpenWrites open;

    WriteBatch(WriteParts parts, List<OpenWrite> writes) {
        this.parts = parts;
        this.open = new OpenWrites(writes);
    }

    /** Once: writes that are not answered afterwards lost a race, and are to go through another batch. */
    void run() {
        Set<StateId> ids = open.ids();
        Set<StateId> companions = open.companions();
        Optional<WriteSight> remembered = companions.isEmpty() ? remembered(ids) : Optional.empty();
        parts.memory().forget(ids);
        if (remembered.isPresent()) {
            List<Announcement> announcements = announcements(ids, remembered.get());
            if (announcements.stream().allMatch(Announcement::refusesNothing)) {
                carryOut(announcements, remembered.get().look(), ids);
                return;
            }
        }
        WriteSight sight;
        try {
            sight = WriteSight.of(parts, ids, companions);
        } catch (Unavailable outage) {
            open.refuse(ids, outage);
            return;
        }
        List<Announcement> changes = new ArrayList<>();
        for (Announcement announcement : announcements(ids, sight)) {
            if (announcement.changes()) {
                changes.add(announcement);
            } else {
                open.answer(announcement.composition().decided());
            }
        }
        if (!changes.isEmpty()) {
            carryOut(changes, sight.look(), Set.of());
        }
    }

    /**
     * Rows that others write or delete by SQL are outside the log. Who builds on a row asks first whether it is still the
     * newest; where the whole record is replaced, it is enough to see afterwards that no later version came in between.
     */
    private Optional<WriteSight> remembered(Set<StateId> ids) {
        try {
            return parts.memory()
                    .recall(ids)
                    .filter(sight -> areNewest(ids.stream().filter(id -> !replaced(id)).map(sight::stored).toList()));
        } catch (Unavailable later) {
            return Optional.empty();
        }
    }

    private boolean replaced(StateId id) {
        return open.of(id).stream().map(open.all()::get).noneMatch(Write::restsOnWhatIsStored);
    }

    private boolean areNewest(List<StoredState> remembered) {
        Map<StateId, Long> versions = versions(remembered.stream().map(StoredState::id).toList());
        return remembered.stream().allMatch(each -> each.version() == versions.getOrDefault(each.id(), 0L));
    }

    private List<Announcement> announcements(Set<StateId> ids, WriteSight sight) {
        return ids.stream().map(id -> Announcement.of(id, open.of(id), open.all(), sight, parts)).toList();
    }

    private void carryOut(List<Announcement> announcements, Look seen, Set<StateId> remembered) {
        try {
            CompletableFuture<Optional<Map<StateId, Long>>> stored = remembered.isEmpty()
                    ? CompletableFuture.completedFuture(Optional.of(Map.of()))
                    : Besides.ask(() -> versions(remembered));
            announce(announcements, seen);
            // Before the log: a version that one of its writes has is explained by it then.
            Map<StateId, Long> versions = stored.join()
                    .orElseGet(() -> parts.appender().ask(() -> versions(remembered)));
            Verdict verdict = Verdict.of(parts, announcements, versions);
            store(counting(announcements, verdict, seen.sentAt()), verdict, seen.sentAt());
        } catch (Unavailable outage) {
            open.refuse(announcements.stream().map(Announcement::id).toList(), OpenWrite.unconfirmed(outage));
        }
    }

    private Map<StateId, Long> versions(Collection<StateId> ids) {
        return ids.isEmpty() ? Map.of() : parts.ledger().storedVersions(ids);
    }

    private void announce(List<Announcement> announcements, Look seen) {
        List<Entry> entries = new ArrayList<>(parts.doneRows().take());
        announcements.forEach(a -> entries.addAll(a.entries(seen.serverTime(), parts.ids().next())));
        parts.appender().resend(() -> parts.ledger().append(entries), seen.sentAt(), PROVES_FOR);
    }

    private List<Announcement> counting(List<Announcement> announcements, Verdict verdict, long readAt) {
        boolean proves = parts.time().since(readAt).compareTo(PROVES_FOR) <= 0;
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

    private void store(List<Announcement> counting, Verdict verdict, long readAt) {
        if (!counting.isEmpty()) {
            List<StateRow> rows = counting.stream().map(Announcement::toStore).toList();
            parts.appender().resend(() -> parts.store().write(rows), readAt, PROVES_FOR);
            counting.forEach(announcement -> {
                parts.doneRows().add(announcement.id(), announcement.eventId());
                // Where another write counted on top of it meanwhile, the row is not what the next one builds on.
                if (verdict.isLast(announcement)) {
                    parts.memory().keep(verdict.look(), verdict.state(announcement), announcement.toStore());
                }
                open.answer(announcement.composition().decided(), verdict.waiting(announcement));
            });
        }
    }
}

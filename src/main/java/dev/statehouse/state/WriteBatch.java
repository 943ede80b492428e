package dev.statehouse.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import dev.statehouse.id.StateId;
import dev.statehouse.problem.Unavailable;

/**
 * Some writes of any ids, made together:
 * <ol>
 * <li>Read what is there, and help what another left unfinished: {@link WriteSight}. Where this instance wrote moments ago,
 * what it remembers is enough: {@link WriteMemory}. Who builds on the row sees first that it is still the newest.
 * <li>Announce, look, store: {@link WriteSteps}.
 * </ol>
 */
final class WriteBatch {

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
                carryOut(announcements, remembered.get(),
                        ids.stream()
                                .filter(id -> isReplaced(id) && !parts.memory().sawRow(id))
                                .collect(Collectors.toSet()));
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
        parts.memory().sawRows(ids, sight.look().sentAt());
        List<Announcement> changes = new ArrayList<>();
        for (Announcement announcement : announcements(ids, sight)) {
            if (announcement.changes()) {
                changes.add(announcement);
            } else {
                open.answer(announcement.composition().decided());
            }
        }
        if (!changes.isEmpty()) {
            carryOut(changes, sight, Set.of());
        }
    }

    /**
     * Rows that others write or delete by SQL are outside the log. Who builds on a row asks first whether it is still the
     * newest; where the whole record is replaced, it is enough to see now and then that no later version came in between.
     */
    private Optional<WriteSight> remembered(Set<StateId> ids) {
        try {
            return parts.memory()
                    .recall(ids)
                    .filter(sight -> areNewest(ids.stream().filter(id -> !isReplaced(id)).map(sight::stored).toList()));
        } catch (Unavailable later) {
            return Optional.empty();
        }
    }

    private boolean isReplaced(StateId id) {
        return open.of(id).stream().map(open.all()::get).noneMatch(Write::restsOnWhatIsStored);
    }

    private boolean areNewest(List<StoredState> remembered) {
        Map<StateId, Long> versions = parts.versions(remembered.stream().map(StoredState::id).toList());
        return remembered.stream().allMatch(each -> each.version() == versions.getOrDefault(each.id(), 0L));
    }

    private List<Announcement> announcements(Set<StateId> ids, WriteSight sight) {
        return ids.stream().map(id -> Announcement.of(id, open.of(id), open.all(), sight, parts)).toList();
    }

    private void carryOut(List<Announcement> announcements, WriteSight sight, Set<StateId> unseen) {
        new WriteSteps(parts, open, announcements, sight, unseen).run();
    }
}

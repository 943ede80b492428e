package dev.statehouse.state;

import java.util.ArrayList;
import java.util.List;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.Conflict;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.state.StateListController.Deleted;
import dev.statehouse.state.StateListController.Imported;
import dev.statehouse.state.StateListController.Line;
import dev.statehouse.state.StateListController.Page;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What can be done with many states at once, page by page and block by block. */
@Component
final class StateBulk {

    private static final int BLOCK_IDS = 500;
    private static final long BLOCK_BYTES = 32L * 1024 * 1024;
    private static final long PAGE_BYTES = 8L * 1024 * 1024;

    private final StateStore store;
    private final StateWriter writer;

    StateBulk(StateStore store, StateWriter writer) {
        this.store = store;
        this.writer = writer;
    }

    Page page(Glob pattern, @Nullable StateId after, int limit) {
        List<StateStore.Summary> found = store.list(pattern, after, limit + 1);
        boolean more = found.size() > limit;
        List<Line> lines = found.stream().limit(limit).map(Line::of).toList();
        return new Page(lines, more ? lines.getLast().stateId() : null);
    }

    /** As {@link #page}, with the documents; a page ends early once it is large. */
    Page pageWithDocuments(Glob pattern, @Nullable StateId after, int limit) {
        List<StateRow> found = store.page(pattern, after, limit + 1, PAGE_BYTES);
        List<DocumentLine> lines = found.stream().limit(limit).map(DocumentLine::of).toList();
        boolean more = found.size() > limit
                || !lines.isEmpty() && !store.list(pattern, found.getLast().id(), 1).isEmpty();
        return new Page(lines, more ? lines.getLast().stateId() : null);
    }

    long count(Glob pattern) {
        return store.count(pattern);
    }

    Deleted clear(Glob pattern) {
        long deleted = 0;
        StateId after = null;
        while (true) {
            List<StateStore.Summary> block = store.list(pattern, after, BLOCK_IDS);
            if (block.isEmpty()) {
                return new Deleted(deleted, List.of());
            }
            deleted += write(block.stream().map(s -> new Write(s.id(), Preconditions.NONE, Change.CLEAR)).toList());
            after = block.getLast().id();
        }
    }

    Imported importAll(ImportBody body) {
        long imported = 0;
        List<Write> block = new ArrayList<>();
        long blockBytes = 0;
        for (var entry : body.states().entrySet()) {
            Halves halves = entry.getValue();
            if (block.size() == BLOCK_IDS || blockBytes + halves.sizeBytes() > BLOCK_BYTES) {
                imported += write(block);
                block.clear();
                blockBytes = 0;
            }
            block.add(new Write(entry.getKey(), Preconditions.NONE, Change.replace(halves, true)));
            blockBytes += halves.sizeBytes();
        }
        return new Imported(imported + write(block), List.of());
    }

    private long write(List<Write> block) {
        if (block.isEmpty()) {
            return 0;
        }
        List<Outcome> outcomes = writer.write(block);
        outcomes.forEach(Outcome::orThrow);
        return outcomes.size();
    }

    /** Fails before it begins if a row cannot be read; what turns up later cuts the answer short. */
    StreamedBody export(Glob pattern) {
        List<StateId> unreadable = store.unreadable(pattern, 3);
        if (!unreadable.isEmpty()) {
            throw new Conflict(ProblemCode.STORED_STATE_UNREADABLE, "What another writer left under '"
                    + unreadable.getFirst() + "' is no JSON object. Repair it by PUT, or DELETE it, and export again.");
        }
        return new Export(store, pattern);
    }
}

package dev.statehouse.state;

import java.util.ArrayList;
import java.util.List;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.lock.LeaseBook;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.Conflict;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
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
    private final LeaseBook book;
    private final StateProperties properties;

    StateBulk(StateStore store, StateWriter writer, LeaseBook book, StateProperties properties) {
        this.store = store;
        this.book = book;
        this.properties = properties;
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

    /** Who holds what of the states that match. */
    BulkLeases leases(Glob pattern, LockTokens own) {
        return BulkLeases.ofPattern(book, store, pattern, own);
    }

    /** What is to be imported, checked as a whole. */
    ImportBody parse(byte @Nullable [] body, boolean singer, boolean allowEmpty) {
        return ImportBody.parse(body, singer, allowEmpty, properties.maxSize().toBytes());
    }

    /** Who holds what of the states of an import. */
    BulkLeases leases(ImportBody body, LockTokens own) {
        return BulkLeases.ofIds(book, body.states().keySet(), own);
    }

    /** One that is locked meanwhile stays. */
    Deleted clear(Glob pattern, BulkLeases allowed) {
        Tally tally = new Tally();
        StateId after = null;
        while (true) {
            List<StateStore.Summary> block = store.list(pattern, after, BLOCK_IDS);
            if (block.isEmpty()) {
                return new Deleted(tally.done, tally.skipped);
            }
            write(block.stream().map(s -> allowed.write(s.id(), Change.CLEAR)).toList(), tally);
            after = block.getLast().id();
        }
    }

    /** One that is locked meanwhile stays. */
    Imported importAll(ImportBody body, BulkLeases allowed) {
        Tally tally = new Tally();
        List<Write> block = new ArrayList<>();
        long blockBytes = 0;
        for (var entry : body.states().entrySet()) {
            Halves halves = entry.getValue();
            if (block.size() == BLOCK_IDS || blockBytes + halves.sizeBytes() > BLOCK_BYTES) {
                write(block, tally);
                block.clear();
                blockBytes = 0;
            }
            block.add(allowed.write(entry.getKey(), Change.replace(halves, true)));
            blockBytes += halves.sizeBytes();
        }
        write(block, tally);
        return new Imported(tally.done, tally.skipped);
    }

    private void write(List<Write> block, Tally tally) {
        Unavailable outage = null;
        try {
            List<Outcome> outcomes = block.isEmpty() ? List.of() : writer.write(block);
            for (int i = 0; i < outcomes.size(); i++) {
                if (outcomes.get(i) instanceof Outcome.Refused(Unavailable one, int waiting)) {
                    outage = one;
                } else {
                    tally.count(block.get(i).id(), outcomes.get(i));
                }
            }
        } catch (Unavailable all) {
            outage = all;
        }
        if (outage != null) {
            throw tally.done == 0 ? outage : tally.broughtThisFar(outage);
        }
    }

    /** What became of them so far. */
    private static final class Tally {

        private long done;
        private final List<String> skipped = new ArrayList<>();

        private void count(StateId id, Outcome outcome) {
            if (outcome instanceof Outcome.Refused refused && isAboutTheLock(refused.problem())) {
                skipped.add(id.value());
            } else {
                outcome.orThrow();
                done++;
            }
        }

        private Unavailable broughtThisFar(Unavailable outage) {
            return new Unavailable(ProblemCode.WRITE_UNCONFIRMED,
                    "ClickHouse went away after %,d states were done; of the"
                            .formatted(done)
                            + " others some may be. Do the same again: what is done twice gives the same.",
                    outage.retryAfter(), outage);
        }

        private static boolean isAboutTheLock(Problem problem) {
            return problem.code() == ProblemCode.LOCKED || problem.code() == ProblemCode.LOCK_LOST;
        }
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

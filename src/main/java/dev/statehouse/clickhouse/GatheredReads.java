package dev.statehouse.clickhouse;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.statehouse.batch.BatchLimits;
import dev.statehouse.batch.BatchMeters;
import dev.statehouse.batch.Batcher;
import dev.statehouse.batch.Job;
import dev.statehouse.id.LatestIds;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.Problem;
import dev.statehouse.state.StateRow;
import dev.statehouse.state.StateStore.Snapshot;

/** Reads of one state each, done in batches: those that come while others are under way are one SELECT. */
final class GatheredReads {

    private static final int MOST_SIZES = 10_000;
    private static final int WORTH_REMEMBERING = 64 * 1024;

    private final Function<Collection<StateId>, Snapshot> select;
    private final Batcher<Read> batches;
    /** Of ids whose state was large: it will be again, and a batch must not hold too many of them. */
    private final Map<StateId, Long> sizes = LatestIds.byFirstPut(MOST_SIZES);

    GatheredReads(Function<Collection<StateId>, Snapshot> select, BatchLimits limits, BatchMeters meters) {
        this.select = select;
        this.batches = new Batcher<>("reads", limits, this::carryOut, meters);
    }

    Snapshot read(StateId id) {
        Read read = new Read(id, size(id), new CompletableFuture<>());
        batches.submit(read);
        try {
            return read.answer().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException refused ? refused : e;
        }
    }

    private List<Read> carryOut(List<Read> reads) {
        Set<StateId> ids = reads.stream().map(Read::id).collect(Collectors.toSet());
        Snapshot snapshot;
        try {
            snapshot = select.apply(ids);
        } catch (Problem problem) {
            reads.forEach(read -> read.refuse(problem));
            return List.of();
        }
        snapshot.rows().values().forEach(this::noteSize);
        for (Read read : reads) {
            StateRow row = snapshot.rows().get(read.id());
            read.answer()
                    .complete(new Snapshot(snapshot.serverTime(), row == null ? Map.of() : Map.of(read.id(), row)));
        }
        return List.of();
    }

    private long size(StateId id) {
        synchronized (sizes) {
            return sizes.getOrDefault(id, 0L);
        }
    }

    private void noteSize(StateRow row) {
        long length = row.length();
        synchronized (sizes) {
            if (length >= WORTH_REMEMBERING) {
                sizes.put(row.id(), length);
            } else if (!sizes.isEmpty()) {
                sizes.remove(row.id());
            }
        }
    }

    /**
     * One that waits.
     *
     * @param bytes how large its state was when it was read last; 0 if it was not, or was small
     */
    private record Read(StateId id, long bytes, CompletableFuture<Snapshot> answer) implements Job {

        /** Any two may be done at a time. */
        @Override
        public Set<StateId> keys() {
            return Set.of();
        }

        @Override
        public int size() {
            return 1;
        }

        @Override
        public void refuse(Problem problem) {
            answer.completeExceptionally(problem);
        }

        @Override
        public void fail(RuntimeException error) {
            answer.completeExceptionally(error);
        }
    }
}

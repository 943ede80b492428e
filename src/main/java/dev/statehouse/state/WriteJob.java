package dev.statehouse.state;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

import dev.statehouse.batch.Job;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.Problem;

/** The writes of one call, on their way through one batch or several. */
final class WriteJob implements Job {

    private final List<OpenWrite> writes;
    private final Set<StateId> ids;
    private final long bytes;
    private final CompletableFuture<List<Outcome>> outcomes = new CompletableFuture<>();

    WriteJob(List<Write> writes) {
        this.writes = writes.stream().map(write -> new OpenWrite(write, this::answerIfComplete)).toList();
        this.ids = writes.stream().map(Write::id).collect(Collectors.toUnmodifiableSet());
        this.bytes = writes.stream().mapToLong(write -> write.change().bytes()).sum();
    }

    private void answerIfComplete() {
        if (isComplete()) {
            outcomes.complete(writes.stream().map(OpenWrite::outcome).map(Objects::requireNonNull).toList());
        }
    }

    boolean isComplete() {
        return writes.stream().noneMatch(OpenWrite::isOpen);
    }

    List<OpenWrite> writes() {
        return writes;
    }

    @Override
    public Set<StateId> keys() {
        return ids;
    }

    @Override
    public int size() {
        return writes.size();
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void refuse(Problem problem) {
        writes.stream().filter(OpenWrite::isOpen).forEach(write -> write.refuse(problem));
    }

    @Override
    public void fail(RuntimeException error) {
        outcomes.completeExceptionally(error);
    }

    /** Waits for all of them. */
    List<Outcome> outcomes() {
        try {
            return outcomes.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException unforeseen ? unforeseen : new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw OpenWrite.unconfirmed("This instance is shutting down", e);
        }
    }
}

package dev.statehouse.batch;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.statehouse.problem.Problem;

/** A job that tells what became of it. */
record TestJob(String name, Set<String> keys, int size, long bytes, CompletableFuture<String> end) implements Job {

    static TestJob of(String name, String... keys) {
        return new TestJob(name, Set.of(keys), 1, 1, new CompletableFuture<>());
    }

    static TestJob large(String name, int size, long bytes, String... keys) {
        return new TestJob(name, Set.of(keys), size, bytes, new CompletableFuture<>());
    }

    @Override
    public void refuse(Problem problem) {
        end.complete("refused: " + problem.code().code());
    }

    @Override
    public void fail(RuntimeException error) {
        end.complete("failed: " + error.getMessage());
    }

    @Override
    public String toString() {
        return name;
    }
}

package dev.statehouse.batch;

import java.util.Set;

import dev.statehouse.problem.Problem;

/** What waits to be done together with others. */
public interface Job {

    /** Jobs with a key in common are never under way in two batches at a time, and keep their order. */
    Set<?> keys();

    /** For how many of one it counts in a batch. */
    int size();

    /** How large it is, in bytes: what it holds in memory while it waits, or what comes of it. */
    long bytes();

    /** Not done, and it will not be: it waited for too long. */
    void refuse(Problem problem);

    /** Something went wrong that should not; whether it was done is not known. */
    void fail(RuntimeException error);
}

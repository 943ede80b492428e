package dev.statehouse.state;

import dev.statehouse.json.JsonObject;
import dev.statehouse.json.Merge;
import org.jspecify.annotations.Nullable;

/**
 * The two halves of a state. An empty object says nothing, so it is the same as null.
 *
 * @param completed what the last successful run left; null if there is none
 * @param partial what an interrupted run got to; null if there is none
 */
record Halves(@Nullable JsonObject completed, @Nullable JsonObject partial) {

    static final Halves NONE = new Halves(null, null);

    Halves {
        completed = JsonObject.nullIfEmpty(completed);
        partial = JsonObject.nullIfEmpty(partial);
    }

    boolean isEmpty() {
        return completed == null && partial == null;
    }

    /** What the next run should start from: the partial half merged onto the completed one. */
    JsonObject merged() {
        if (completed == null) {
            return partial == null ? JsonObject.EMPTY : partial;
        }
        return partial == null ? completed : Merge.merge(completed, partial);
    }

    /** Bytes of UTF-8 of both halves together. */
    long sizeBytes() {
        return size(completed) + size(partial);
    }

    private static long size(@Nullable JsonObject object) {
        return object == null ? 0 : object.sizeBytes();
    }

    static @Nullable JsonObject merge(@Nullable JsonObject base, @Nullable JsonObject patch) {
        if (base == null || patch == null) {
            return base == null ? patch : base;
        }
        return Merge.merge(base, patch);
    }
}

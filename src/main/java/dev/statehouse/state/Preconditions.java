package dev.statehouse.state;

import dev.statehouse.problem.VersionMismatch;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * What must hold of the id in the path before it is written.
 *
 * @param ifMatch null if not asked
 * @param ifNoneMatch null if not asked
 */
record Preconditions(@Nullable EntityTags ifMatch, @Nullable EntityTags ifNoneMatch) {

    static final Preconditions NONE = new Preconditions(null, null);

    static Preconditions of(HttpHeaders headers) {
        return new Preconditions(EntityTags.parse(HttpHeaders.IF_MATCH, headers.getOrEmpty(HttpHeaders.IF_MATCH)),
                EntityTags.parse(HttpHeaders.IF_NONE_MATCH, headers.getOrEmpty(HttpHeaders.IF_NONE_MATCH)));
    }

    /** Only while the state is still at this version. */
    static Preconditions still(long version) {
        return new Preconditions(
                new EntityTags(false, java.util.List.of(Long.toString(version)), java.util.List.of()), null);
    }

    /**
     * @throws VersionMismatch if they do not hold
     */
    void check(StoredState current) {
        Long version = current.exists() ? current.version() : null;
        if (ifMatch != null && !ifMatch.matchesStrongly(version)) {
            throw mismatch("If-Match", current, version);
        }
        if (ifNoneMatch != null && ifNoneMatch.matchesWeakly(version)) {
            throw mismatch("If-None-Match", current, version);
        }
    }

    private static VersionMismatch mismatch(String header, StoredState current, @Nullable Long version) {
        return new VersionMismatch("%s does not hold: %s. Read it again and decide anew.".formatted(header,
                version == null
                        ? "there is no state under '" + current.id() + "'"
                        : "the state under '" + current.id() + "' is at version " + EntityTags.tag(version)));
    }

    /** For reads: whether the caller has this version already. */
    boolean notModified(StoredState current) {
        return ifNoneMatch != null && ifNoneMatch.matchesWeakly(current.version());
    }
}

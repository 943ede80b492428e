package dev.statehouse.state;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.statehouse.auth.Access;
import dev.statehouse.auth.Needs;
import dev.statehouse.auth.Role;
import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.id.Timestamps;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.Inputs;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The calls on many states at once. */
@RestController
final class StateListController {

    private static final int MAX_LIMIT = 1000;
    private static final int DEFAULT_LIMIT = 100;

    private final StateBulk bulk;
    private final Access access;

    StateListController(StateBulk bulk, Access access) {
        this.bulk = bulk;
        this.access = access;
    }

    /** One page of a listing; {@code next} is what {@code after} must be to get the next page, null at the end. */
    record Page(List<? extends Object> states, @Nullable String next) {}

    /** What became of a call on many; {@code skipped} are ids that were left as they are. */
    record Deleted(long deleted, List<String> skipped) {}

    /** What became of an import. */
    record Imported(long imported, List<String> skipped) {}

    @GetMapping(path = "/states", produces = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.READER, to = "list")
    ResponseEntity<Page> list(@RequestParam(required = false) @Nullable Glob pattern,
            @RequestParam(required = false) @Nullable String limit,
            @RequestParam(required = false) @Nullable String after,
            @RequestParam(required = false) @Nullable String include) {
        int most = (int) Inputs.integer("limit", limit, 1, MAX_LIMIT, DEFAULT_LIMIT);
        boolean documents = Inputs.word("include", include, "documents");
        Glob glob = access.within(Role.READER, pattern == null ? Glob.ALL : pattern);
        StateId behind = behind(after);
        return uncached(documents ? bulk.pageWithDocuments(glob, behind, most) : bulk.page(glob, behind, most));
    }

    /** A value of a query, so 400 where the same text in a path would be 422. */
    private static @Nullable StateId behind(@Nullable String after) {
        try {
            return after == null || after.isEmpty() ? null : new StateId(after);
        } catch (IllegalArgumentException e) {
            throw new InvalidInput(ProblemCode.INVALID_PARAMETER, "after: " + e.getMessage());
        }
    }

    @DeleteMapping(path = "/states", produces = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.OPERATOR, to = "clear")
    ResponseEntity<Deleted> clear(@RequestParam Glob pattern,
            @RequestParam(name = "dry_run", required = false) @Nullable String dryRun,
            @RequestHeader HttpHeaders headers) {
        boolean counted = Inputs.flag("dry_run", dryRun);
        LockTokens leases = LockTokens.of(headers);
        Glob glob = access.within(Role.OPERATOR, pattern);
        BulkLeases found = bulk.leases(glob, leases);
        return uncached(headers, found,
                counted ? new Deleted(bulk.count(glob), List.of()) : bulk.clear(glob, found.orThrow()));
    }

    @GetMapping(path = "/export", produces = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.READER, to = "export")
    ResponseEntity<StreamedBody> export(@RequestParam(required = false) @Nullable Glob pattern) {
        return uncached(bulk.export(access.within(Role.READER, pattern == null ? Glob.ALL : pattern)));
    }

    @PostMapping(path = "/import", consumes = MediaType.APPLICATION_JSON_VALUE, produces = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.OPERATOR, to = "import")
    ResponseEntity<Imported> importAll(@RequestParam(required = false) @Nullable String validate,
            @RequestParam(name = "allow_empty", required = false) @Nullable String allowEmpty,
            @RequestHeader HttpHeaders headers,
            @RequestBody(required = false) byte @Nullable [] body) {
        boolean singer = Inputs.word("validate", validate, "singer");
        LockTokens leases = LockTokens.of(headers);
        ImportBody states = bulk.parse(body, singer, Inputs.flag("allow_empty", allowEmpty));
        access.check(Role.OPERATOR, states.states().keySet());
        BulkLeases found = bulk.leases(states, leases);
        return uncached(headers, found, bulk.importAll(states, found.orThrow()));
    }

    private static <T> ResponseEntity<T> uncached(HttpHeaders request, BulkLeases leases, T body) {
        HttpHeaders headers = new HttpHeaders();
        if (request.containsHeader(LockTokens.HEADER)) {
            headers.set(LockTokens.WAITING_HEADER, Integer.toString(leases.waiting()));
        }
        return ResponseEntity.ok()
                .headers(headers)
                .cacheControl(CacheControl.noCache())
                .contentType(MediaType.APPLICATION_JSON)
                .body(body);
    }

    private static <T> ResponseEntity<T> uncached(T body) {
        return ResponseEntity.ok()
                .cacheControl(CacheControl.noCache())
                .contentType(MediaType.APPLICATION_JSON)
                .body(body);
    }

    /** One line of a listing. */
    record Line(@JsonProperty("state_id") String stateId, long version, @JsonProperty("updated_at") String updatedAt,
            @JsonProperty("has_completed") boolean hasCompleted, @JsonProperty("has_partial") boolean hasPartial,
            @JsonProperty("size_bytes") long sizeBytes, boolean readable) {

        static Line of(StateStore.Summary summary) {
            return new Line(summary.id().value(), summary.version(), Timestamps.format(summary.version()),
                    summary.hasCompleted(), summary.hasPartial(), summary.sizeBytes(), summary.readable());
        }
    }
}

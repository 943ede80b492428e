package dev.statehouse.lock;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import dev.statehouse.auth.Access;
import dev.statehouse.auth.Audit;
import dev.statehouse.auth.Needs;
import dev.statehouse.auth.Role;
import dev.statehouse.id.Glob;
import dev.statehouse.id.LockId;
import dev.statehouse.id.StateId;
import dev.statehouse.json.Bodies;
import dev.statehouse.json.JsonValue;
import dev.statehouse.ledger.EventIds;
import dev.statehouse.problem.Inputs;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.NotFound;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The calls on locks. */
@RestController
@RequestMapping(path = "/locks", produces = MediaType.APPLICATION_JSON_VALUE)
final class LockController {

    static final long MIN_TTL = 1;
    static final long MAX_TTL = 86_400;
    private static final long MAX_WAIT = 300;
    private static final int MAX_OWNER = 256;

    private final LockStrategy locks;
    private final Waiters waiters;
    private final LockProperties properties;
    private final EventIds ids;
    private final Closing closing;
    private final LockMeters meters;
    private final Access access;
    private final Audit audit;

    LockController(LockStrategy locks, Waiters waiters, LockProperties properties, EventIds ids, Closing closing,
            LockMeters meters,
            Access access, Audit audit) {
        this.locks = locks;
        this.waiters = waiters;
        this.meters = meters;
        this.properties = properties;
        this.ids = ids;
        this.closing = closing;
        this.access = access;
        this.audit = audit;
    }

    /** All locks that match. */
    record Listing(List<LockView.Held> locks) {}

    @GetMapping
    @Needs(value = Role.READER, to = "list-locks")
    ResponseEntity<Object> list(@RequestParam(required = false) @Nullable Glob pattern) {
        Glob seen = access.within(Role.READER, pattern == null ? Glob.ALL : pattern);
        List<HeldLock> held = locks.list(seen, null, Integer.MAX_VALUE);
        return answer(HttpStatus.OK, new HttpHeaders(), new Listing(held.stream().map(LockView.Held::of).toList()));
    }

    @GetMapping("/{id}")
    @Needs(value = Role.READER, to = "read-lock")
    ResponseEntity<Object> get(@PathVariable StateId id, @RequestHeader HttpHeaders headers) {
        return waiters.toldWhenRefused(id, headers, () -> {
            HeldLock held = locks.find(id)
                    .orElseThrow(
                            () -> new NotFound(ProblemCode.NOT_LOCKED, "Nobody holds the lock of '" + id + "'."));
            return answer(HttpStatus.OK,
                    LockTokens.of(headers).isEmpty() ? new HttpHeaders() : waiting(held.waiting()),
                    LockView.Held.of(held));
        });
    }

    @PostMapping(path = "/{id}", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.WRITER, to = "acquire")
    ResponseEntity<Object> acquire(@PathVariable StateId id, @RequestBody(required = false) byte @Nullable [] body,
            BooleanSupplier callerGone) {
        AcquireRequest request = request(id, Bodies.fields(body));
        Lease lease = meters.waiting(() -> locks.acquire(request, () -> {
            closing.check();
            return callerGone.getAsBoolean();
        }));
        audit.locked(id, fencing(lease.fencingToken()));
        HttpHeaders headers = new HttpHeaders();
        if (lease.fresh()) {
            headers.setLocation(URI.create("/locks/"
                    + URLEncoder.encode(id.value(), StandardCharsets.UTF_8).replace("+", "%20")));
        }
        return answer(lease.fresh() ? HttpStatus.CREATED : HttpStatus.OK, headers, LockView.Granted.of(lease));
    }

    private AcquireRequest request(StateId id, Map<String, JsonValue> fields) {
        Bodies.refuseUnknown(fields, "owner", "ttl_seconds", "wait_seconds", "lock_id");
        String owner = Bodies.text(fields, "owner", MAX_OWNER);
        Duration ttl = ttl(fields);
        Duration patience = Duration.ofSeconds(Bodies.integer(fields, "wait_seconds", 0, MAX_WAIT, 0));
        JsonValue named = fields.get("lock_id");
        LockId lockId = named == null ? LockId.parse(ids.next()) : lockId(named);
        return new AcquireRequest(id, lockId, named != null, owner, ttl, patience);
    }

    private Duration ttl(Map<String, JsonValue> fields) {
        return Duration.ofSeconds(
                Bodies.integer(fields, "ttl_seconds", MIN_TTL, MAX_TTL, properties.ttl().toSeconds()));
    }

    private static LockId lockId(JsonValue value) {
        try {
            return LockId.parse(value.kind() == JsonValue.Kind.STRING ? value.asString() : "");
        } catch (IllegalArgumentException e) {
            throw new InvalidInput(ProblemCode.INVALID_BODY, String.valueOf(e.getMessage()));
        }
    }

    @PutMapping(path = "/{id}", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.WRITER, to = "renew")
    ResponseEntity<Object> renew(@PathVariable StateId id, @RequestHeader HttpHeaders headers,
            @RequestBody(required = false) byte @Nullable [] body) {
        LockId lockId = LockTokens.of(headers).only();
        Map<String, JsonValue> fields = Bodies.fields(body);
        Bodies.refuseUnknown(fields, "ttl_seconds");
        Lease lease = locks.renew(id, lockId, ttl(fields));
        audit.locked(id, fencing(lease.fencingToken()));
        return answer(HttpStatus.OK, waiting(lease.waiting()), LockView.Granted.of(lease));
    }

    @DeleteMapping(path = "/{id}", produces = {MediaType.APPLICATION_JSON_VALUE,
            MediaType.APPLICATION_PROBLEM_JSON_VALUE})
    @Needs(value = Role.WRITER, to = "release")
    ResponseEntity<Object> release(@PathVariable StateId id, @RequestParam(required = false) @Nullable String force,
            @RequestParam(name = "fencing_token", required = false) @Nullable String fencingToken,
            @RequestHeader HttpHeaders headers) {
        if (Inputs.flag("force", force) || fencingToken != null) {
            breakLease(id, force, fencingToken, headers);
            return ResponseEntity.noContent().cacheControl(CacheControl.noStore()).build();
        }
        int waiting = locks.release(id, LockTokens.of(headers).only());
        audit.locked(id, "");
        return ResponseEntity.noContent().headers(waiting(waiting)).cacheControl(CacheControl.noStore()).build();
    }

    private void breakLease(StateId id, @Nullable String force, @Nullable String fencingToken, HttpHeaders headers) {
        access.check(Role.OPERATOR, id);
        if (!Inputs.flag("force", force) || fencingToken == null) {
            throw new InvalidInput(ProblemCode.INVALID_PARAMETER, "To break a lease, say both force=true and the"
                    + " fencing_token that GET /locks/{state_id} shows.");
        }
        if (headers.containsHeader(LockTokens.HEADER)) {
            throw new InvalidInput(ProblemCode.INVALID_HEADER,
                    "Either release your own lease by Lock-Token, or break another's by force, not both.");
        }
        long token = Inputs.integer("fencing_token", fencingToken, 0, Long.MAX_VALUE, 0);
        locks.breakLease(id, token);
        audit.locked(id, fencing(token) + " force=true");
    }

    private static String fencing(long token) {
        return " fencing_token=" + token;
    }

    private static HttpHeaders waiting(int waiting) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(LockTokens.WAITING_HEADER, Integer.toString(waiting));
        return headers;
    }

    private static ResponseEntity<Object> answer(HttpStatus status, HttpHeaders headers, Object body) {
        return ResponseEntity.status(status)
                .headers(headers)
                .cacheControl(CacheControl.noStore())
                .contentType(MediaType.APPLICATION_JSON)
                .body(body);
    }
}

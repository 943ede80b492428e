package dev.statehouse.state;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import dev.statehouse.auth.Access;
import dev.statehouse.auth.Needs;
import dev.statehouse.auth.Role;
import dev.statehouse.id.StateId;
import dev.statehouse.json.Bodies;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.lock.Waiters;
import dev.statehouse.problem.Inputs;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The calls on one state. */
@RestController
@RequestMapping(path = "/states/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
final class StateController {

    private final StateService states;
    private final Waiters waiters;
    private final Access access;

    StateController(StateService states, Waiters waiters, Access access) {
        this.waiters = waiters;
        this.states = states;
        this.access = access;
    }

    private enum View {
        RECORD, MERGED
    }

    @GetMapping
    @Needs(value = Role.READER, to = "read")
    ResponseEntity<Object> get(@PathVariable StateId id, @RequestParam(required = false) @Nullable String view,
            @RequestHeader HttpHeaders headers) {
        View wanted = Inputs.choice("view", view, View.RECORD);
        Preconditions preconditions = Preconditions.of(headers);
        return waiters.told(id, headers, more -> {
            StoredState state = states.read(id).orNotFound();
            if (preconditions.notModified(state)) {
                return answer(HttpStatus.NOT_MODIFIED, state, more, () -> null);
            }
            return answer(HttpStatus.OK, state, more, () -> wanted == View.RECORD
                    ? StateView.of(state)
                    : state.halves().merged().text().getBytes(StandardCharsets.UTF_8));
        });
    }

    /** Apart from GET: no body comes but a problem's, so generated clients ask for that alone. */
    @RequestMapping(method = RequestMethod.HEAD, produces = {MediaType.APPLICATION_JSON_VALUE,
            MediaType.APPLICATION_PROBLEM_JSON_VALUE})
    @Needs(value = Role.READER, to = "read")
    ResponseEntity<Object> head(@PathVariable StateId id, @RequestParam(required = false) @Nullable String view,
            @RequestHeader HttpHeaders headers) {
        return get(id, view, headers);
    }

    @PutMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.WRITER, to = "put")
    ResponseEntity<Object> put(@PathVariable StateId id,
            @RequestParam(name = "allow_empty", required = false) @Nullable String allowEmpty,
            @RequestParam(required = false) @Nullable String validate, @RequestHeader HttpHeaders headers,
            @RequestBody(required = false) byte @Nullable [] body) {
        StateBody given = body(body, validate);
        return written(headers, states.write(id, Preconditions.of(headers), LockTokens.of(headers),
                Change.replace(given.halves(), Inputs.flag("allow_empty", allowEmpty))));
    }

    @PatchMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.WRITER, to = "patch")
    ResponseEntity<Object> patch(@PathVariable StateId id, @RequestParam(required = false) @Nullable String strategy,
            @RequestParam(name = "allow_empty", required = false) @Nullable String allowEmpty,
            @RequestParam(required = false) @Nullable String validate, @RequestHeader HttpHeaders headers,
            @RequestBody(required = false) byte @Nullable [] body) {
        Change.Strategy how = Inputs.choice("strategy", strategy, Change.Strategy.UPDATE);
        boolean mayBeEmpty = Inputs.flag("allow_empty", allowEmpty);
        StateBody given = body(body, validate);
        return written(headers,
                states.update(id, Preconditions.of(headers), LockTokens.of(headers),
                        Change.patch(given, how, mayBeEmpty)));
    }

    @DeleteMapping(produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_PROBLEM_JSON_VALUE})
    @Needs(value = Role.WRITER, to = "delete")
    ResponseEntity<Object> delete(@PathVariable StateId id, @RequestHeader HttpHeaders headers) {
        return written(headers, states.write(id, Preconditions.of(headers), LockTokens.of(headers), Change.CLEAR));
    }

    @PostMapping(path = "/copy", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.READER, to = "copy")
    ResponseEntity<Object> copy(@PathVariable StateId id, @RequestHeader HttpHeaders headers,
            @RequestBody(required = false) byte @Nullable [] body) {
        StateId to = Bodies.id(body, "to");
        access.check(Role.WRITER, to);
        return replaced(headers, waiters.toldWhenRefused(id, headers,
                () -> states.copy(id, to, Preconditions.of(headers), LockTokens.of(headers))));
    }

    @PostMapping(path = "/move", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.WRITER, to = "move")
    ResponseEntity<Object> move(@PathVariable StateId id, @RequestHeader HttpHeaders headers,
            @RequestBody(required = false) byte @Nullable [] body) {
        StateId to = Bodies.id(body, "to");
        access.check(Role.WRITER, to);
        return replaced(headers, waiters.toldWhenRefused(id, headers,
                () -> states.move(id, to, Preconditions.of(headers), LockTokens.of(headers))));
    }

    @PostMapping(path = "/merge", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Needs(value = Role.WRITER, to = "merge")
    ResponseEntity<Object> merge(@PathVariable StateId id, @RequestHeader HttpHeaders headers,
            @RequestBody(required = false) byte @Nullable [] body) {
        StateId from = Bodies.id(body, "from");
        access.check(Role.READER, from);
        return replaced(headers, waiters.toldWhenRefused(id, headers,
                () -> states.merge(id, from, Preconditions.of(headers), LockTokens.of(headers))));
    }

    private static StateBody body(byte @Nullable [] body, @Nullable String validate) {
        return StateBody.parse(body, Inputs.word("validate", validate, "singer"));
    }

    private static HttpHeaders waiting(HttpHeaders request, Outcome.Done done) {
        HttpHeaders headers = new HttpHeaders();
        if (request.containsHeader(LockTokens.HEADER)) {
            headers.set(LockTokens.WAITING_HEADER, Integer.toString(done.waiting()));
        }
        return headers;
    }

    private static ResponseEntity<Object> written(HttpHeaders request, Outcome.Done done) {
        if (!done.state().exists()) {
            return ResponseEntity.noContent()
                    .headers(waiting(request, done))
                    .cacheControl(CacheControl.noCache())
                    .build();
        }
        return answer(done.created() ? HttpStatus.CREATED : HttpStatus.OK, done.state(), waiting(request, done),
                () -> StateView.of(done.state()));
    }

    private static ResponseEntity<Object> replaced(HttpHeaders request, Outcome.Done done) {
        return answer(HttpStatus.OK, done.state(), waiting(request, done), () -> StateView.of(done.state()));
    }

    private static ResponseEntity<Object> answer(HttpStatus status, StoredState state, HttpHeaders headers,
            Supplier<@Nullable Object> body) {
        return ResponseEntity.status(status)
                .headers(headers)
                .eTag(EntityTags.tag(state.version()))
                .cacheControl(CacheControl.noCache())
                .contentType(MediaType.APPLICATION_JSON)
                .body(body.get());
    }
}

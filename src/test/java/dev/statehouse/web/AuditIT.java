package dev.statehouse.web;

import static dev.statehouse.testing.ContractClient.lock;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.FragileService;
import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.SecuredService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Each change of a state or a lock has a line that says who made it, and nothing of what is in it. */
@Isolated // whatever starts a service sets up its log anew
class AuditIT {

    private static final String LEASE = "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11";
    private static final String SECRET = "{\"completed_state\": {\"secret\": 1}}";

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final ContractClient admin = SecuredService.shared().as("admin").with("X-Request-Id", "r1");
    private final ContractClient dev = SecuredService.shared().as("dev").with("X-Request-Id", "r2");
    private final String name = RunningService.freshPrefix();
    private final String id = "dev:" + name;

    @BeforeEach
    void listen() {
        RunningService.shared();
        FragileService.shared();
        lines.start();
        ((Logger) LoggerFactory.getLogger("statehouse.audit")).addAppender(lines);
    }

    @AfterEach
    void stop() {
        ((Logger) LoggerFactory.getLogger("statehouse.audit")).detachAppender(lines);
        assertThat(lines.list.toString()).doesNotContain("secret", LEASE, SecuredService.token("dev"));
    }

    private static final String ADMIN = " subject=\"admin\" token=\"admin\" request=r1";
    private static final String DEV = " subject=\"pipelines\" token=\"dev\" request=r2";

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).filter(line -> line.contains(name)).toList();
    }

    private static long version(Answer answer) {
        return answer.json().path("version").asLong();
    }

    @Test
    void eachCallSaysWhatItChanged() {
        long put = version(dev.put(state(id), SECRET).expect(201));
        long patch = version(dev.patch(state(id), SECRET).expect(200));
        long copy = version(dev.post(state(id) + "/copy", "{\"to\": \"%s2\"}".formatted(id)).expect(200));
        long merge = version(dev.post(state(id) + "/merge", "{\"from\": \"%s2\"}".formatted(id)).expect(200));
        dev.get(state(id)).expect(200);
        dev.put(state(id), "{").expect(400);
        dev.put(state(id), SECRET, "If-Match", "\"1\"").expect(412);
        dev.delete(state(id + "3")).expect(204);
        assertThat(said()).containsExactly("put done id=\"%s\" version=%d%s".formatted(id, put, DEV),
                "patch done id=\"%s\" version=%d%s".formatted(id, patch, DEV),
                "copy done id=\"%s2\" version=%d%s".formatted(id, copy, DEV),
                "merge done id=\"%s\" version=%d%s".formatted(id, merge, DEV));
        lines.list.clear();
        dev.post(state(id) + "/move", "{\"to\": \"%s4\"}".formatted(id)).expect(200);
        admin.post("/import", "{\"%s5\": {\"completed\": {\"secret\": 1}}}".formatted(id)).expect(200);
        dev.delete(state(id + "4")).expect(204);
        admin.delete("/states?pattern=" + id + "*").expect(200);
        assertThat(said()).map(line -> line.replaceAll(" version=\\d+", ""))
                .containsExactly("move done id=\"" + id + "4\"" + DEV, "move done id=\"" + id + "\"" + DEV,
                        "import done id=\"" + id + "5\"" + ADMIN, "delete done id=\"" + id + "4\"" + DEV,
                        "clear done id=\"" + id + "2\"" + ADMIN, "clear done id=\"" + id + "5\"" + ADMIN);
    }

    @Test
    void locksAndRefusalsToo() {
        String body = "{\"owner\": \"a test\", \"lock_id\": \"%s\"}".formatted(LEASE);
        long token = dev.post(lock(id), body).expect(201).json().path("fencing_token").asLong();
        dev.put(lock(id), "{}", "Lock-Token", LEASE).expect(200);
        admin.post(lock(id), "{\"owner\": \"another\"}").expect(423);
        dev.delete(lock(id), "Lock-Token", LEASE).expect(204);
        long next = admin.post(lock(id), "{\"owner\": \"another\"}").expect(201).json().path("fencing_token").asLong();
        dev.delete(lock(id) + "?force=true&fencing_token=" + next).expect(403);
        admin.delete(lock(id) + "?force=true&fencing_token=" + next).expect(204);
        dev.put(state("prod:" + name), SECRET).expect(403);
        dev.post("/import", "{}").expect(403);
        String of = " id=\"" + id + "\"";
        assertThat(said()).containsExactly("acquire done" + of + " fencing_token=" + token + DEV,
                "renew done" + of + " fencing_token=" + token + DEV, "release done" + of + DEV,
                "acquire done" + of + " fencing_token=" + next + ADMIN,
                "release denied" + of + " missing=operator" + DEV,
                "release done" + of + " fencing_token=" + next + " force=true" + ADMIN,
                "put denied id=\"prod:" + name + "\" missing=writer" + DEV);
        assertThat(lines.list).map(ILoggingEvent::getFormattedMessage).contains("import denied missing=operator" + DEV);
    }

    @Test
    void noIdMakesALineLookLikeAnother() {
        String odd = id + "\" version=1\u2028\u202E\\x\uD83D\uDE00é";
        dev.put(state(odd), SECRET).expect(201);
        assertThat(said()).singleElement()
                .asString()
                .startsWith("put done id=\"" + id + "\\\" version=1\\u2028\\u202e\\\\x\uD83D\uDE00é\" version=");
    }

    @Test
    void whatNobodyKnowsIsSaidToo() {
        FragileService fragile = FragileService.shared();
        fragile.way().cutAt("(state_id, partial_state, completed_state, updated_at)");
        fragile.service().client().put(state(id), SECRET).expect(503, "write-unconfirmed");
        fragile.way().restore();
        assertThat(said()).singleElement()
                .asString()
                .startsWith("put unconfirmed id=\"" + id + "\" subject=\"-\" token=\"-\" request=");
    }
}

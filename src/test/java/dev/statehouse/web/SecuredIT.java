package dev.statehouse.web;

import static dev.statehouse.testing.ContractClient.lock;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.SecuredService;
import dev.statehouse.testing.TestIssuer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may do what at a service that asks for tokens. */
class SecuredIT {

    private static final String GOOD = "{\"completed_state\": {\"v\": 1}}";
    private static final String LEASE = "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11";

    private final SecuredService secured = SecuredService.shared();
    private final ContractClient admin = secured.as("admin");
    private final String name = RunningService.freshPrefix();
    private final String dev = "dev:" + name;
    private final String shared = "shared:" + name;
    private final String prod = "prod:" + name;

    /** A call, what it is sent with, and who may: A admin, D dev, M mixed, V viewer, O devop, P metrics. */
    private static Arguments call(String method, String target, String body, String may) {
        return Arguments.of(method, target, body, may);
    }

    /** {@code D}, {@code S} and {@code P} stand for ids of dev, of what is shared, and of prod. */
    static Stream<Arguments> calls() {
        return Stream.of(call("GET", "/states/D", "", "ADMVO"), call("HEAD", "/states/D", "", "ADMVO"),
                call("GET", "/states/S", "", "AMV"), call("GET", "/states/P", "", "A"),
                call("GET", "/states/P?view=merged", "", "A"), call("PUT", "/states/D", GOOD, "ADMO"),
                call("PUT", "/states/S", GOOD, "A"), call("PUT", "/states/P", GOOD, "A"),
                call("PATCH", "/states/D", GOOD, "ADMO"), call("PATCH", "/states/S", GOOD, "A"),
                call("DELETE", "/states/D", "", "ADMO"), call("DELETE", "/states/S", "", "A"),
                call("POST", "/states/D/copy", "{\"to\": \"D2\"}", "ADMO"),
                call("POST", "/states/S/copy", "{\"to\": \"D2\"}", "AM"),
                call("POST", "/states/D/copy", "{\"to\": \"S2\"}", "A"),
                call("POST", "/states/P/copy", "{\"to\": \"D2\"}", "A"),
                call("POST", "/states/D/move", "{\"to\": \"D2\"}", "ADMO"),
                call("POST", "/states/S/move", "{\"to\": \"D2\"}", "A"),
                call("POST", "/states/D/move", "{\"to\": \"P2\"}", "A"),
                call("POST", "/states/D/merge", "{\"from\": \"S\"}", "AM"),
                call("POST", "/states/D/merge", "{\"from\": \"P\"}", "A"),
                call("POST", "/states/S/merge", "{\"from\": \"D\"}", "A"),
                call("GET", "/states?pattern=D*", "", "ADMVOP"), call("GET", "/export?pattern=D*", "", "ADMVOP"),
                call("GET", "/locks?pattern=D*", "", "ADMVOP"), call("DELETE", "/states?pattern=D*", "", "AOP"),
                call("DELETE", "/states?pattern=D*&dry_run=true", "", "AOP"),
                call("POST", "/import", "{\"D\": {\"completed\": {\"v\": 1}}}", "AO"),
                call("POST", "/import", "{\"D\": {\"completed\": {\"v\": 1}}, \"P\": {\"completed\": {\"v\": 1}}}",
                        "A"),
                call("GET", "/locks/D", "", "ADMVO"), call("GET", "/locks/P", "", "A"),
                call("POST", "/locks/D", "{\"owner\": \"a test\"}", "ADMO"),
                call("POST", "/locks/S", "{\"owner\": \"a test\"}", "A"), call("PUT", "/locks/D", "{}", "ADMO"),
                call("DELETE", "/locks/D", "", "ADMO"),
                call("DELETE", "/locks/D?force=true&fencing_token=1", "", "AO"),
                call("DELETE", "/locks/D?fencing_token=1", "", "AO"), call("GET", "/actuator/prometheus", "", "AOP"));
    }

    private String filled(String text) {
        return text.replaceAll("(?<=/|\"|=)D", dev).replaceAll("(?<=/|\"|=)S", shared).replaceAll("(?<=/|\"|=)P", prod);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void isOpenToThoseWithTheRoleForEveryIdItTouches(String method, String target, String body, String may) {
        byte[] bytes = body.isEmpty() ? null : filled(body).getBytes(StandardCharsets.UTF_8);
        List<String> ids = List.of(dev, shared, prod);
        ids.forEach(id -> admin.put(state(id), GOOD));
        // Those who may not go first: after each of them all must still be there.
        for (boolean allowed : new boolean[]{false, true}) {
            for (char who : "ADMVOP".toCharArray()) {
                if (may.indexOf(who) >= 0 != allowed) {
                    continue;
                }
                Answer answer = secured.as(nameOf(who)).send(method, filled(target), bytes, "Lock-Token", LEASE);
                assertThat(answer.status() != 401 && answer.status() != 403).as("%s: %s", who, answer.text())
                        .isEqualTo(allowed);
                if (!allowed) {
                    ids.forEach(id -> admin.get(state(id)).expect(200));
                }
            }
        }
        secured.stranger().send(method, filled(target), bytes).expect(401);
    }

    private static String nameOf(char who) {
        return switch (who) {
            case 'A' -> "admin";
            case 'D' -> "dev";
            case 'M' -> "mixed";
            case 'V' -> "viewer";
            case 'O' -> "devop";
            default -> "metrics";
        };
    }

    @Test
    void whatIsMissingIsSaid() {
        Answer answer = secured.as("mixed").post("/import", "{}").expect(403, "forbidden");
        assertThat(answer.text()).contains("\"missing\":{\"role\":\"operator\"}");
        answer = secured.as("devop")
                .post("/import",
                        "{\"%s\": {\"completed\": {\"v\": 1}}, \"%s\": {\"completed\": {\"v\": 1}}}".formatted(dev,
                                prod))
                .expect(403, "forbidden");
        assertThat(answer.text()).contains("\"missing\":{\"role\":\"operator\",\"state_ids\":[\"" + prod + "\"]}");
        admin.get(state(dev)).expect(404, "state-not-found");
        assertThat(secured.stranger().get(state(dev)).header("WWW-Authenticate"))
                .isEqualTo("Bearer realm=\"statehouse\"");
        assertThat(secured.as("old").get(state(dev)).expect(401, "token-expired").header("WWW-Authenticate"))
                .isEqualTo("Bearer realm=\"statehouse\", error=\"invalid_token\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer", "Bearer ", "Bearer a b", "Basic YWRtaW46YWRtaW4=", "Bearer \u00e9", "bearer: x",
            "Bearer token-of-admin-012345678", "Bearer token-of-admin-01234567890", "Token token-of-admin-0123456789",
            "Bearer a.b.c"})
    void whatIsNoTokenIsNone(String header) {
        assertThat(secured.stranger().get(state(dev), "Authorization", header).expect(401).code())
                .isIn("unauthenticated", "invalid-token");
        secured.stranger().get("/actuator/health/liveness", "X", header).expect(200);
    }

    @Test
    void aTokenInTheQueryIsNone() {
        secured.stranger()
                .get(state(dev) + "?access_token=" + SecuredService.token("admin"))
                .expect(401, "unauthenticated");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a%2Fb", "a%252Fb", "a;b", "a;b=c/..;/d", "a\\b", "a b", "../x", "a//b", "%00", "é",
            "?#",
            "*", "[!x]", "a\u2028b", "..;", "%2e%2e"})
    void oddIdsPassAsTheyAreAndReachNothingElse(String odd) {
        String id = dev + odd;
        secured.as("dev").put(state(id), GOOD).expect(201);
        assertThat(secured.as("viewer").get(state(id)).expect(200).json().path("state_id").asString()).isEqualTo(id);
        secured.as("dev").get(state("prod:" + odd)).expect(403, "forbidden");
        assertThat(secured.as("viewer").get("/states?pattern=" + name + "*").json().path("states")).isEmpty();
        secured.as("dev").delete(state(id)).expect(204);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/%73tates/prod:x", "/states/%70rod:x", "/states/prod:x/", "/states/prod%3Ax",
            "//states/prod:x", "/./states/prod:x", "/x/../states/prod:x", "/states/dev:x/../prod:x",
            "/states/dev:x/..%2Fprod:x", "/states/prod:x;dev:x", "/states/prod:x%00", "/STATES/prod:x",
            "/states;/prod:x",
            "/actuator/prometheus", "/%61ctuator/prometheus", "/actuator/%70rometheus", "//actuator/prometheus",
            "/actuator/prometheus/", "/actuator;/prometheus", "/actuator/prometheus;x",
            "/actuator/health/../prometheus",
            "/actuator/health/..%2Fprometheus", "/swagger-ui/../actuator/prometheus", "/openapi.yaml/../states/prod:x",
            "/openapi.yaml;/../actuator/prometheus", "/actuator/", "/actuator", "/locks/prod:x", "/%6Cocks/prod:x"})
    void noSpellingOfAPathGetsPast(String target) {
        admin.put(state("prod:x"), GOOD);
        for (ContractClient caller : List.of(secured.as("dev").unchecked(), secured.stranger().unchecked())) {
            for (String method : List.of("GET", "HEAD", "PUT", "DELETE", "POST")) {
                Answer answer = caller.send(method, target,
                        method.equals("PUT") ? GOOD.getBytes(StandardCharsets.UTF_8) : null);
                assertThat(answer.status()).as(method + " " + target + answer.text())
                        .isIn(400, 401, 403, 404, 405, 415, 422);
                assertThat(answer.text()).doesNotContain("\"v\":", "jvm_", "completed_state\"");
            }
        }
        admin.get(state("prod:x")).expect(200);
    }

    @Test
    void listsPagesExportsAndClearsAreAboutWhatTheCallerReaches() {
        IntStream.range(0, 40)
                .parallel()
                .forEach(i -> admin
                        .put(state("%s:%s-%02d".formatted(List.of("dev", "shared", "prod", "test").get(i % 4), name,
                                i)), GOOD)
                        .expect(201));
        String all = "*:" + name + "-*";
        List<String> seen = new ArrayList<>();
        String after = "";
        do {
            Answer page = secured.as("viewer").get("/states?limit=3&pattern=" + all + "&after=" + after).expect(200);
            page.json().path("states").forEach(line -> seen.add(line.path("state_id").asString()));
            assertThat(page.json().path("states").size()).isEqualTo(seen.size() == 20 ? 2 : 3);
            after = page.json().path("next").isNull() ? "" : page.json().path("next").asString();
        } while (!after.isEmpty());
        assertThat(seen).hasSize(20).doesNotHaveDuplicates().isSorted().allMatch(id -> id.matches("(dev|shared):.*"));
        Answer documents = secured.as("dev").get("/states?include=documents&limit=10&pattern=" + all).expect(200);
        assertThat(documents.json().path("states")).hasSize(10);
        assertThat(documents.json().path("next").isNull()).isTrue();
        assertThat(new TreeSet<>(secured.as("viewer").get("/export?pattern=" + all).json().propertyNames()))
                .isEqualTo(new TreeSet<>(seen));
        for (String id : List.of("dev:" + name + "-00", "prod:" + name + "-02")) {
            admin.post(lock(id), "{\"owner\": \"a test\", \"lock_id\": \"%s\"}".formatted(LEASE)).expect(201);
        }
        assertThat(secured.as("viewer").get("/locks?pattern=" + all).json().path("locks")).hasSize(1);
        assertThat(admin.get("/locks?pattern=" + all).json().path("locks")).hasSize(2);
        Answer locked = secured.as("devop").delete("/states?pattern=" + all).expect(423, "locked");
        assertThat(locked.text()).doesNotContain("prod:");
        admin.delete(lock("dev:" + name + "-00"), "Lock-Token", LEASE).expect(204);
        assertThat(secured.as("devop").delete("/states?dry_run=true&pattern=" + all).json().path("deleted").asInt())
                .isEqualTo(10);
        assertThat(secured.as("devop").delete("/states?pattern=" + all).expect(200).json().path("deleted").asInt())
                .isEqualTo(10);
        assertThat(admin.get("/states?limit=1000&pattern=" + all).json().path("states")).hasSize(30);
    }

    @Test
    void aTokenThatEndsLeavesTheLockAndTheNextOneGoesOn() throws Exception {
        Map<String, Object> namespace = Map.of("kubernetes.io", Map.of("namespace", "dev"));
        String account = "system:serviceaccount:dev:loader";
        Instant end = Instant.now().plusSeconds(3);
        var claims = TestIssuer.claims(account).expirationTime(Date.from(end));
        namespace.forEach(claims::claim);
        ContractClient first = secured.bearing(secured.issuer().sign(claims));
        first.post(lock(dev), "{\"owner\": \"run-1\", \"ttl_seconds\": 600, \"lock_id\": \"%s\"}".formatted(LEASE))
                .expect(201);
        first.put(state(dev), GOOD, "Lock-Token", LEASE).expect(201);
        first.get(state(prod)).expect(403, "forbidden");
        Thread.sleep(Duration.between(Instant.now(), end.plusMillis(1_100)));
        first.put(state(dev), GOOD, "Lock-Token", LEASE).expect(401, "token-expired");
        first.put(lock(dev), "{}", "Lock-Token", LEASE).expect(401, "token-expired");
        first.delete(lock(dev), "Lock-Token", LEASE).expect(401, "token-expired");
        assertThat(secured.as("viewer").get(lock(dev)).expect(200).json().path("owner").asString()).isEqualTo("run-1");
        secured.as("dev").put(state(dev), GOOD).expect(423, "locked");
        ContractClient next = secured.bearing(secured.issuer().token(account, namespace));
        next.put(state(dev), GOOD, "Lock-Token", LEASE).expect(200);
        next.put(lock(dev), "{}", "Lock-Token", LEASE).expect(200);
        next.delete(lock(dev), "Lock-Token", LEASE).expect(204);
    }

    @Test
    void openPagesAreOpenAndNoOtherSiteIsLetIn() {
        ContractClient stranger = secured.stranger().unchecked();
        for (String page : List.of("/openapi.yaml", "/swagger-ui/index.html", "/swagger-ui/swagger-ui-bundle.js",
                "/actuator/health", "/actuator/health/readiness")) {
            Answer answer = stranger.get(page).expect(200);
            assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(answer.header("Content-Security-Policy")).contains("default-src 'none'",
                    "frame-ancestors 'none'");
            assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        }
        stranger.get("/").expect(302);
        assertThat(stranger.get("/swagger-ui/index.html").header("Content-Security-Policy"))
                .contains("script-src 'self'")
                .doesNotContain("unsafe-eval", "script-src 'self' 'unsafe-inline'");
        stranger.get("/nothing").expect(401, "unauthenticated");
        admin.get("/nothing").expect(404, "not-found");
        for (ContractClient caller : List.of(stranger, RunningService.shared().client().unchecked())) {
            Answer preflight = caller.send("OPTIONS", state(dev), null, "Origin", "https://evil.test",
                    "Access-Control-Request-Method", "PUT");
            assertThat(preflight.headers().keySet()).noneMatch(header -> header.toLowerCase(Locale.ROOT)
                    .startsWith("access-control"));
        }
        Answer plain = admin.get("/states", "Origin", "https://evil.test").expect(200);
        assertThat(plain.headers().keySet()).noneMatch(header -> header.toLowerCase(Locale.ROOT)
                .startsWith("access-control"));
        assertThat(plain.headers()).doesNotContainKey("Set-Cookie");
    }
}

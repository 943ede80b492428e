package dev.statehouse.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.testing.TestIssuer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens of an issuer, good ones and forged ones. */
class JwtsTest {

    private static final StateId DEV = new StateId("dev:a");
    private static final StateId PROD = new StateId("prod:a");

    private final TestIssuer issuer = new TestIssuer();
    private final Path keys;

    JwtsTest(@TempDir Path folder) throws IOException {
        keys = Files.writeString(folder.resolve("jwks.json"), issuer.jwks());
    }

    private static JwtProperties properties(@Nullable Path file, @Nullable URI uri, String issuer,
            JwtProperties.Rule... rules) {
        return new JwtProperties(issuer, List.of(TestIssuer.AUDIENCE), uri, file, null, null, Duration.ofMinutes(5),
                Duration.ofSeconds(30), "sub", "statehouse", List.of(rules));
    }

    private Jwts jwts(JwtProperties.Rule... rules) {
        JwtProperties properties = properties(keys, null, TestIssuer.NAME, rules);
        return new Jwts(properties, IssuerKeys.of(properties));
    }

    private static JwtProperties.Rule rule(String claim, String value, Role role, String... ids) {
        return new JwtProperties.Rule(claim, value, role, List.of(ids));
    }

    private static void assertRefused(Jwts jwts, String token, ProblemCode code) {
        assertThatThrownBy(() -> jwts.caller(token)).isInstanceOfSatisfying(TokenRefused.class,
                refused -> assertThat(refused.code()).isEqualTo(code));
    }

    @Test
    void aGoodTokenSaysWhoItIsAndByTheRulesWhatItMay() {
        Jwts jwts = jwts(rule("groups", "data-*", Role.WRITER, "dev:*"), rule("sub", "root", Role.OPERATOR, "*"),
                rule("realm_access.roles", "reader", Role.READER, "*"));
        Caller none = jwts.caller(issuer.token("somebody", Map.of()));
        assertThat(none.subject()).isEqualTo("somebody");
        assertThat(none.token()).isEqualTo("id-of-somebody");
        assertThat(none.has(Role.READER)).isFalse();
        Caller writer = jwts.caller(issuer.token("somebody", Map.of("groups", List.of("x", "data-eng"))));
        assertThat(writer.may(Role.WRITER, DEV)).isTrue();
        assertThat(writer.may(Role.READER, DEV)).isTrue();
        assertThat(writer.may(Role.OPERATOR, DEV)).isFalse();
        assertThat(writer.may(Role.READER, PROD)).isFalse();
        Caller reader = jwts.caller(issuer.token("somebody", Map.of("realm_access", Map.of("roles", "reader"))));
        assertThat(reader.may(Role.READER, PROD)).isTrue();
        assertThat(reader.may(Role.WRITER, PROD)).isFalse();
        assertThat(jwts.caller(issuer.token("root", Map.of())).may(Role.OPERATOR, PROD)).isTrue();
    }

    @Test
    void aTokenMaySayItselfWhatItMay() {
        Map<String, Object> own = Map.of("statehouse", Map.of("writer", List.of("dev:*"), "reader", "*"));
        Caller caller = jwts().caller(issuer.token("somebody", own));
        assertThat(caller.may(Role.WRITER, DEV)).isTrue();
        assertThat(caller.may(Role.WRITER, PROD)).isFalse();
        assertThat(caller.may(Role.READER, PROD)).isTrue();
        assertRefused(jwts(), issuer.token("somebody", Map.of("statehouse", Map.of("writer", List.of(1)))),
                ProblemCode.INVALID_TOKEN);
    }

    @Test
    void idsMayComeFromClaimsAndStandForThemselves() {
        Jwts jwts = jwts(rule("sub", "*", Role.WRITER, "{kubernetes.io.namespace}:*", "{nothing}*"));
        Map<String, Object> dev = Map.of("kubernetes.io", Map.of("namespace", "dev"));
        assertThat(jwts.caller(issuer.token("a", dev)).may(Role.WRITER, DEV)).isTrue();
        assertThat(jwts.caller(issuer.token("a", dev)).may(Role.WRITER, PROD)).isFalse();
        Map<String, Object> any = Map.of("kubernetes.io", Map.of("namespace", "*"));
        assertThat(jwts.caller(issuer.token("a", any)).may(Role.WRITER, DEV)).isFalse();
        assertThat(jwts.caller(issuer.token("a", any)).may(Role.WRITER, new StateId("*:x"))).isTrue();
        assertThat(jwts.caller(issuer.token("a", Map.of())).may(Role.WRITER, DEV)).isFalse();
    }

    @Test
    void forgedAndForeignTokensAreRefused() throws JOSEException {
        Jwts jwts = jwts();
        JWTClaimsSet.Builder good = TestIssuer.claims("a");
        jwts.caller(issuer.sign(good));
        jwts.caller(issuer.sign(good, new JOSEObjectType("at+jwt")));
        List<String> bad = new ArrayList<>();
        bad.add(new TestIssuer().sign(good));
        bad.add(issuer.sign(TestIssuer.claims("a").issuer("https://other.test")));
        bad.add(issuer.sign(TestIssuer.claims("a").issuer(TestIssuer.NAME + "/")));
        bad.add(issuer.sign(TestIssuer.claims("a").issuer(null)));
        bad.add(issuer.sign(TestIssuer.claims("a").audience("other")));
        bad.add(issuer.sign(TestIssuer.claims("a").audience(List.of())));
        bad.add(issuer.sign(TestIssuer.claims("a").expirationTime(null)));
        bad.add(issuer.sign(TestIssuer.claims("a").notBeforeTime(Date.from(Instant.now().plusSeconds(90)))));
        bad.add(issuer.sign(TestIssuer.claims("").subject(null)));
        bad.add(issuer.sign(good, new JOSEObjectType("secevent+jwt")));
        String[] parts = issuer.sign(good).split("\\.");
        bad.add(parts[0] + "." + encoded(TestIssuer.claims("root").build().toString()) + "." + parts[2]);
        bad.add(encoded("{\"alg\":\"none\"}") + "." + parts[1] + ".");
        bad.add(encoded("{\"alg\":\"none\"}") + "." + parts[1] + "." + parts[2]);
        SignedJWT symmetric = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(issuer.key().getKeyID()).build(), good.build());
        symmetric.sign(new MACSigner(issuer.key().toRSAPublicKey().getEncoded()));
        bad.add(symmetric.serialize());
        bad.add("..");
        bad.add("a.b.c");
        for (String token : bad) {
            assertRefused(jwts, token, ProblemCode.INVALID_TOKEN);
        }
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aTokenEndsAfterItsTimeAndTheSkew() {
        jwts().caller(issuer.sign(TestIssuer.claims("a").expirationTime(Date.from(Instant.now().minusSeconds(20)))));
        Date over = Date.from(Instant.now().minusSeconds(31));
        assertRefused(jwts(), issuer.sign(TestIssuer.claims("a").expirationTime(over)), ProblemCode.TOKEN_EXPIRED);
        assertRefused(jwts(), issuer.sign(TestIssuer.claims("a").audience("x").expirationTime(over)),
                ProblemCode.INVALID_TOKEN);
        assertRefused(jwts(), new TestIssuer().sign(TestIssuer.claims("a").expirationTime(over)),
                ProblemCode.INVALID_TOKEN);
    }

    @Test
    void newKeysInTheFileAreFound() throws Exception {
        Jwts jwts = jwts();
        jwts.caller(issuer.token("a", Map.of()));
        TestIssuer next = new TestIssuer();
        assertRefused(jwts, next.token("a", Map.of()), ProblemCode.INVALID_TOKEN);
        Files.writeString(keys, next.jwks());
        Thread.sleep(1_100); // the file is looked at once a second at the most
        jwts.caller(next.token("a", Map.of()));
        assertRefused(jwts, issuer.token("a", Map.of()), ProblemCode.INVALID_TOKEN);
    }

    @Test
    void keysAreFoundByDiscoveryAndOutlastAnOutage() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String name = "http://127.0.0.1:" + server.getAddress().getPort();
        Map<String, String> pages = Map.of("/.well-known/openid-configuration",
                "{\"issuer\":\"" + name + "\",\"jwks_uri\":\"" + name + "/keys\"}", "/keys", issuer.jwks());
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI().getPath());
            byte[] page = pages.getOrDefault(exchange.getRequestURI().getPath(), "").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(page.length == 0 ? 404 : 200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        JwtProperties properties = properties(null, null, name);
        Jwts jwts = new Jwts(properties, IssuerKeys.of(properties));
        String good = issuer.sign(TestIssuer.claims("a").issuer(name));
        try {
            for (int i = 0; i < 10; i++) {
                assertThat(jwts.caller(good).subject()).isEqualTo("a");
            }
            assertThat(asked).containsExactly("/.well-known/openid-configuration", "/keys");
            for (int i = 0; i < 10; i++) {
                assertRefused(jwts, new TestIssuer().sign(TestIssuer.claims("a").issuer(name)),
                        ProblemCode.INVALID_TOKEN);
            }
            assertThat(asked).as("unknown keys do not have the issuer asked each time").hasSizeLessThan(6);
        } finally {
            server.stop(0);
        }
        assertThat(jwts.caller(good).subject()).isEqualTo("a");
        assertRefused(new Jwts(properties, IssuerKeys.of(properties)), good, ProblemCode.ISSUER_UNAVAILABLE);
    }
}

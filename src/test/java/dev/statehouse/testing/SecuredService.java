package dev.statehouse.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * A service that asks for tokens, of a file or of {@link TestIssuer}. The tokens are named by what they may do:
 *
 * <pre>
 * admin   operator of all
 * dev     writer of dev:*
 * mixed   writer of dev:*, reader of shared:*
 * viewer  reader of dev:* and shared:*
 * devop   operator of dev:*
 * metrics operator of nothing
 * old     as admin, expired
 * </pre>
 */
public final class SecuredService {

    private static @Nullable SecuredService shared;

    private final RunningService service;
    private final TestIssuer issuer;
    private final Path tokens;

    private SecuredService(RunningService service, TestIssuer issuer, Path tokens) {
        this.service = service;
        this.issuer = issuer;
        this.tokens = tokens;
    }

    /** One for the whole JVM. */
    public static synchronized SecuredService shared() {
        if (shared == null) {
            try {
                shared = start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return shared;
    }

    private static SecuredService start() throws IOException {
        Path folder = Files.createTempDirectory("secured");
        TestIssuer issuer = new TestIssuer();
        Path jwks = Files.writeString(folder.resolve("jwks.json"), issuer.jwks());
        Path tokens = Files.writeString(folder.resolve("tokens.yaml"), """
                tokens:
                  - {name: admin, token: %s, operator: "*"}
                  - {name: dev, subject: pipelines, token: %s, writer: ["dev:*"]}
                  - {name: mixed, token: %s, writer: ["dev:*"], reader: ["shared:*"]}
                  - {name: viewer, token: %s, reader: ["dev:*", "shared:*"]}
                  - {name: devop, token: %s, operator: ["dev:*"]}
                  - {name: metrics, token: %s, operator: []}
                  - {name: old, token: %s, operator: ["*"], expires: 2026-01-01T00:00:00Z}
                """.formatted(token("admin"), token("dev"), token("mixed"), token("viewer"), token("devop"),
                token("metrics"), token("old")));
        TestClickHouse clickHouse = TestClickHouse.shared();
        RunningService service = RunningService.start(clickHouse.uri("default"), clickHouse.freshName(),
                "--server.address=127.0.0.1", "--statehouse.auth.tokens.files=" + tokens,
                "--statehouse.auth.tokens.reload=0s",
                "--statehouse.auth.jwt.issuer=" + TestIssuer.NAME,
                "--statehouse.auth.jwt.audiences=" + TestIssuer.AUDIENCE, "--statehouse.auth.jwt.jwks-file=" + jwks,
                "--statehouse.auth.jwt.clock-skew=0s",
                "--statehouse.auth.jwt.rules[0].value=system:serviceaccount:*",
                "--statehouse.auth.jwt.rules[0].role=writer",
                "--statehouse.auth.jwt.rules[0].ids={kubernetes.io.namespace}:*");
        service.closeAtTheEnd();
        return new SecuredService(service, issuer, tokens);
    }

    /** The text of a token of the file. */
    public static String token(String name) {
        return "token-of-" + name + "-0123456789";
    }

    /** Calls with a token of the file. */
    public ContractClient as(String name) {
        return bearing(token(name));
    }

    /** Calls with this token. */
    public ContractClient bearing(String token) {
        return service.client().with("Authorization", "Bearer " + token);
    }

    /** Calls without a token. */
    public ContractClient stranger() {
        return service.client();
    }

    public RunningService service() {
        return service;
    }

    public TestIssuer issuer() {
        return issuer;
    }

    /** The file of tokens. */
    public Path tokens() {
        return tokens;
    }
}

package dev.statehouse.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;

import dev.statehouse.id.Glob;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenFileTest {

    private static final String HASH = "1234567890".repeat(6) + "1e10";

    @Test
    void readsWhoMayDoWhat() {
        List<TokenFile.Entry> entries = TokenFile.parse("""
                # of the pipelines
                tokens:
                  - name: nightly
                    sha256: %s
                    subject: pipelines
                    expires: 2027-06-30T00:00:00Z
                    reader: ["*"]
                    writer: ["dev:*", "test:*"]
                  - name: metrics
                    token: 0123456789012345678901
                    operator: []
                """.formatted(HASH));
        assertThat(entries).containsExactly(
                new TokenFile.Entry(HASH, new Caller("pipelines", "nightly",
                        List.of(new Grant(Role.READER, List.of(Glob.ALL)),
                                new Grant(Role.WRITER, List.of(new Glob("dev:*"), new Glob("test:*"))))),
                        Instant.parse("2027-06-30T00:00:00Z")),
                new TokenFile.Entry("285cda1c67d9118fe505aec5031ed73135ec3b2a9116a878104be9d0abe63c2f",
                        new Caller("metrics", "metrics", List.of(new Grant(Role.OPERATOR, List.of()))), null));
    }

    @Test
    void jsonWillDoAndNoTokensAreNone() {
        assertThat(TokenFile.parse("{\"tokens\": [{\"name\": \"a\", \"sha256\": \"%s\", \"reader\": \"x*\"}]}"
                .formatted(HASH))).hasSize(1);
        assertThat(TokenFile.parse("tokens: []")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tokens", "[]", "tokens: {}", "tokens: [a-secret-secret-secret]", "tokens: [{}]",
            "more: []",
            "tokens: []\nmore: []", "tokens: []\ntokens: []", "tokens:\n  - name: 'a-secret-secret-secret",
            "tokens: [{name: a, reader: x}]", "tokens: [{name: '', token: a-secret-secret-secret, reader: x}]",
            "tokens: [{token: a-secret-secret-secret, reader: x}]",
            "tokens: [{name: a, token: a-secret-secret-secret}]",
            "tokens: [{name: a, token: a-secret-secret-secret, reader: ''}]",
            "tokens: [{name: a, token: a-secret-secret-secret, reader: {}}]",
            "tokens: [{name: a, token: a-secret-secret-secret, raeder: x, writer: x}]",
            "tokens: [{name: a, token: a-secret, reader: x}]",
            "tokens: [{name: a, token: 'a secret secret secret', reader: x}]",
            "tokens: [{name: a, token: [a-secret-secret-secret], reader: x}]",
            "tokens: [{name: a, sha256: a-secret-secret-secret, reader: x}]",
            "tokens: [{name: a, token: a-secret-secret-secret, expires: 2027, reader: x}]",
            "tokens: [{name: a, token: a-secret-secret-secret, reader: x}, {name: a, token: a-secret-secret-other, reader: x}]",
            "!!javax.script.ScriptEngineManager [a-secret]", "tokens: &a [*a]"})
    void whatIsNoSuchFileIsRefusedWithoutItsText(String yaml) {
        assertThatThrownBy(() -> TokenFile.parse(yaml)).isInstanceOf(IllegalArgumentException.class)
                .message()
                .isNotBlank()
                .doesNotContain("secret");
    }
}

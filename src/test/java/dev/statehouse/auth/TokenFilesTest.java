package dev.statehouse.auth;

import dev.statehouse.problem.SettingException;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import dev.statehouse.problem.ProblemCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthenticationToken;

@ExtendWith(OutputCaptureExtension.class)
class TokenFilesTest {

    private static final String ONE = "one-one-one-one-one-one";
    private static final String TWO = "two-two-two-two-two-two";

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-30T00:00:00Z"));
    private Path file;

    @BeforeEach
    void write(@TempDir Path folder) throws IOException {
        file = folder.resolve("tokens.yaml");
        write("one", ONE);
    }

    TokenFilesTest(@TempDir Path folder) {
        file = folder;
    }

    private void write(String name, String token) throws IOException {
        Files.writeString(file, "tokens: [{name: %s, token: %s, reader: '*', expires: 2026-11-30T01:00:00Z}]"
                .formatted(name, token));
    }

    private TokenFiles files() {
        return new TokenFiles(new TokenProperties(List.of(file), Duration.ofSeconds(5)), now::get);
    }

    private void later(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    @Test
    void changesCountAfterAWhile(CapturedOutput output) throws IOException {
        TokenFiles files = files();
        assertThat(files.find(ONE)).isNotNull();
        write("two", TWO);
        later(Duration.ofSeconds(4));
        assertThat(files.find(ONE)).isNotNull();
        assertThat(files.find(TWO)).isNull();
        later(Duration.ofSeconds(1));
        assertThat(files.find(ONE)).isNull();
        assertThat(files.find(TWO)).isNotNull().extracting(entry -> entry.caller().token()).isEqualTo("two");
        assertThat(output.getAll()).doesNotContain(ONE, TWO);
    }

    @Test
    void filesThatCannotBeReadChangeNothing(CapturedOutput output) throws IOException {
        TokenFiles files = files();
        Files.writeString(file, "tokens: [{name: " + TWO);
        later(Duration.ofSeconds(5));
        assertThat(files.find(ONE)).isNotNull();
        assertThat(output).contains("cannot be used").doesNotContain(TWO);
        Files.delete(file);
        later(Duration.ofSeconds(5));
        assertThat(files.find(ONE)).isNotNull();
        assertThat(output).contains("cannot be read");
        write("two", TWO);
        later(Duration.ofSeconds(5));
        assertThat(files.find(ONE)).isNull();
        assertThat(files.find(TWO)).isNotNull();
    }

    @Test
    void filesThatCannotBeReadEndTheStart() throws IOException {
        Files.writeString(file, "tokens: [{name: " + ONE);
        assertThatThrownBy(this::files).isInstanceOf(SettingException.class)
                .hasMessageContaining(file.toString())
                .message()
                .doesNotContain(ONE);
        Files.delete(file);
        assertThatThrownBy(this::files).isInstanceOf(SettingException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void aTokenIsThereOnce() throws IOException {
        Path other = Files.copy(file, file.resolveSibling("other.yaml"));
        TokenProperties both = new TokenProperties(List.of(file, other), Duration.ofSeconds(5));
        assertThatThrownBy(() -> new TokenFiles(both, now::get)).isInstanceOf(SettingException.class)
                .hasMessageContaining("twice");
        Files.writeString(other, Files.readString(file).replace("name: one", "name: other"));
        assertThatThrownBy(() -> new TokenFiles(both, now::get)).isInstanceOf(SettingException.class)
                .hasMessageContaining("twice");
    }

    @Test
    void aTokenEndsAtItsEnd() {
        BearerTokens tokens = new BearerTokens(files(), null, now::get);
        later(Duration.ofMinutes(60).minusMillis(1));
        assertThat(tokens.authenticate(new BearerTokenAuthenticationToken(ONE)).getName()).isEqualTo("one");
        later(Duration.ofMillis(1));
        assertThatThrownBy(() -> tokens.authenticate(new BearerTokenAuthenticationToken(ONE)))
                .isInstanceOfSatisfying(TokenRefused.class,
                        e -> assertThat(e.code()).isEqualTo(ProblemCode.TOKEN_EXPIRED))
                .hasMessageContaining("'one'")
                .message()
                .doesNotContain(ONE);
        assertThatThrownBy(() -> tokens.authenticate(new BearerTokenAuthenticationToken(TWO)))
                .isInstanceOfSatisfying(TokenRefused.class,
                        e -> assertThat(e.code()).isEqualTo(ProblemCode.INVALID_TOKEN));
    }
}

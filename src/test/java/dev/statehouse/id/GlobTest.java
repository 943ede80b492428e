package dev.statehouse.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GlobTest {

    private static final List<GlobTable.Line> TABLE = GlobTable.load();

    @Test
    void theTableIsThere() {
        assertThat(TABLE).hasSizeGreaterThan(1000);
        assertThat(TABLE.stream().mapToInt(line -> line.hits().size()).sum()).isGreaterThan(3000);
        assertThat(TABLE.stream().mapToInt(line -> line.misses().size()).sum()).isGreaterThan(3000);
    }

    @Test
    void matchesWhatPythonMatches() {
        assertAnswers(pattern -> new Glob(pattern)::matches);
    }

    /** Java's syntax and RE2's are the same for all that re2() uses; that RE2 agrees is tested on ClickHouse. */
    @Test
    void itsRe2MatchesWhatPythonMatches() {
        assertAnswers(pattern -> {
            Predicate<String> re2 = Pattern.compile(new Glob(pattern).re2()).asPredicate();
            return id -> re2.test(id.value());
        });
    }

    private interface Compiler {

        Predicate<StateId> compile(String pattern);
    }

    private static void assertAnswers(Compiler compiler) {
        SoftAssertions softly = new SoftAssertions();
        for (GlobTable.Line line : TABLE) {
            Predicate<StateId> glob = compiler.compile(line.pattern());
            softly.assertThat(line.hits()).as("hits of %s", line.pattern()).allMatch(glob);
            softly.assertThat(line.misses()).as("misses of %s", line.pattern()).noneMatch(glob);
        }
        softly.assertAll();
    }

    @Test
    void everyMatchBeginsWithTheLiteralPrefix() {
        for (GlobTable.Line line : TABLE) {
            Glob glob = new Glob(line.pattern());
            assertThat(line.hits()).as(line.pattern()).allMatch(id -> id.value().startsWith(glob.literalPrefix()));
            if (glob.isLiteral()) {
                assertThat(glob.literalPrefix()).isEqualTo(line.pattern());
                assertThat(line.hits()).as(line.pattern()).allMatch(id -> id.value().equals(line.pattern()));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"dev:*, dev:, false", "*, '', false", "a?b, a, false", "a[b]c, a, false", "a[b*, a[b, false",
            "a[b, a[b, true", "100%_\\, 100%_\\, true", "🎉é*, 🎉é, false", "]!-^, ]!-^, true"})
    void theLiteralPrefixEndsBeforeTheFirstSpecialCharacter(String pattern, String prefix, boolean literal) {
        assertThat(new Glob(pattern).literalPrefix()).isEqualTo(prefix);
        assertThat(new Glob(pattern).isLiteral()).isEqualTo(literal);
    }

    @ParameterizedTest
    @CsvSource({"a.b*, (?s)\\Aa\\.b.*\\z", "[!a-c]?, (?s)\\A[^aca-c].\\z", "[c-a], (?s)\\A[^\\x{0}-\\x{10FFFF}]\\z",
            "[!c-a], (?s)\\A.\\z", "**, (?s)\\A.*\\z"})
    void isWrittenForRe2(String pattern, String re2) {
        assertThat(new Glob(pattern).re2()).isEqualTo(re2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*a*a*a*a*a*a*a*a*a*b", "*?*?*?*?*?*?*?*[!a]"})
    void manyStarsTakeNoLongTime(String pattern) {
        StateId id = new StateId("a".repeat(StateId.MAX_BYTES));
        assertThat(Assertions.assertTimeoutPreemptively(Duration.ofSeconds(10), () -> new Glob(pattern).matches(id)))
                .isFalse();
    }

    @Test
    void refusesWhatIsNoPattern() {
        assertThatThrownBy(() -> new Glob("")).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'*'");
        assertThatThrownBy(() -> new Glob("a\ud83c")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("surrogate");
        assertThat(new Glob("é".repeat(512)).isLiteral()).isTrue();
        assertThatThrownBy(() -> new Glob("é".repeat(512) + "a")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A pattern is at most 1,024 bytes of UTF-8 long; this one has 1,025.");
    }

    @Test
    void isItsPattern() {
        assertThat(new Glob("a*")).isEqualTo(new Glob("a*"))
                .hasSameHashCodeAs(new Glob("a*"))
                .hasToString("a*")
                .isNotEqualTo(new Glob("a**"));
        assertThat(Glob.ALL.pattern()).isEqualTo("*");
    }
}

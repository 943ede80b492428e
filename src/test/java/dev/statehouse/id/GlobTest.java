package dev.statehouse.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
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

    /** Compares with asking each pattern alone, for 20,000 triples of patterns and an id. */
    @Test
    void withinOthersItMatchesWhatTheyMatchToo() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            Glob glob = new Glob(line(random).pattern());
            List<Glob> limits = Stream.generate(() -> new Glob(line(random).pattern()))
                    .limit(random.nextInt(3))
                    .toList();
            GlobTable.Line line = line(random);
            StateId id = line.hits().isEmpty() ? line.misses().getFirst() : line.hits().getFirst();
            Glob limited = glob.within(limits);
            boolean expected = glob.matches(id) && limits.stream().anyMatch(limit -> limit.matches(id));
            String as = glob + " within " + limits + " of " + id;
            assertThat(limited.matches(id)).as(as).isEqualTo(expected);
            assertThat(Pattern.compile(limited.re2()).asPredicate().test(id.value())
                    && Pattern.compile(limited.limitsRe2()).asPredicate().test(id.value())).as(as).isEqualTo(expected);
            assertThat(expected && !id.value().startsWith(limited.literalPrefix())).as(as).isFalse();
        }
    }

    private static GlobTable.Line line(Random random) {
        return TABLE.get(random.nextInt(TABLE.size()));
    }

    @ParameterizedTest
    @CsvSource({"*,dev:a*,,dev:a", "dev:*,dev:a*,dev:b*,dev:", "dev:abc*,dev:*,,dev:abc", "*,😀a,😁a,''",
            "*,dev:*,*:x,''"})
    void whatItIsWithinNarrowsWhereToLook(String glob, String one, @Nullable String other, String prefix) {
        List<Glob> limits = Stream.of(one, other).filter(Objects::nonNull).map(Glob::new).toList();
        assertThat(new Glob(glob).within(limits).literalPrefix()).isEqualTo(prefix);
    }

    @Test
    void limitsAreSetOnce() {
        Glob limited = Glob.ALL.within(List.of(new Glob("a*")));
        assertThatThrownBy(() -> limited.within(List.of(Glob.ALL))).isInstanceOf(IllegalStateException.class);
        assertThat(limited).isNotEqualTo(Glob.ALL).isEqualTo(Glob.ALL.within(List.of(new Glob("a*"))));
        assertThat(Glob.ALL.within(List.of(new Glob("a"), Glob.ALL))).isEqualTo(Glob.ALL);
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

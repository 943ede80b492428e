package dev.statehouse.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.jspecify.annotations.Nullable;

/** A pattern, an id and a limit, each a line, against {@link PlainGlob} and against the form that ClickHouse is given. */
class GlobFuzzTest {

    /** Java's regular expressions, which stand in for RE2 here, try each star anew. */
    private static final int MOST_STARS = 3;

    @FuzzTest
    void glob(byte[] bytes) {
        String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\n", -1);
        if (lines.length != 3) {
            return;
        }
        Glob glob = glob(lines[0]);
        Glob limit = glob(lines[2]);
        StateId id = StateIdFuzzTest.id(lines[1]);
        if (glob == null || limit == null || id == null) {
            return;
        }
        boolean matches = new PlainGlob(lines[0]).matches(id.value());
        assertThat(glob.matches(id)).as("'%s' in Java", glob).isEqualTo(matches);
        assertFormOfSql(glob, id, matches);
        boolean within = new PlainGlob(lines[2]).matches(id.value());
        assertFormOfSql(glob.within(List.of(limit)), id, matches && within);
        assertFormOfSql(glob.within(List.of(limit, glob)), id, matches);
        assertFormOfSql(glob.within(List.of()), id, false);
        assertThat(glob.isLiteral() && !id.value().equals(glob.literalPrefix()) && matches).isFalse();
    }

    /** As the statements ask: the prefix, the pattern, and the limits. */
    private static void assertFormOfSql(Glob glob, StateId id, boolean matches) {
        assertThat(glob.matches(id)).isEqualTo(matches);
        assertThat(matches && !id.value().startsWith(glob.literalPrefix())).as("prefix of '%s'", glob).isFalse();
        String both = glob.re2() + glob.limitsRe2();
        if (both.split("\\.\\*", -1).length <= MOST_STARS + 1) {
            assertThat(found(glob.re2(), id) && found(glob.limitsRe2(), id)).as("'%s' as RE2: %s", glob, both)
                    .isEqualTo(matches);
        }
    }

    private static boolean found(String regex, StateId id) {
        return Pattern.compile(regex).matcher(id.value()).find();
    }

    /** @return null if it is none, which it must not be for any other reason than those that are documented */
    private static @Nullable Glob glob(String text) {
        boolean good = !text.isEmpty() && text.getBytes(StandardCharsets.UTF_8).length <= Glob.MAX_BYTES;
        try {
            Glob glob = new Glob(text);
            assertThat(good).as("taken: '%s'", text).isTrue();
            return glob;
        } catch (IllegalArgumentException refused) {
            assertThat(good).as("refused: '%s'", text).isFalse();
            return null;
        }
    }
}

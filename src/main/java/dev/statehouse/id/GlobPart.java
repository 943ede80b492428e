package dev.statehouse.id;

import java.util.List;

/** One piece of a {@link Glob}. */
sealed interface GlobPart {

    /** Whether this piece may stand for that one character. */
    boolean matches(int codePoint);

    void appendRe2(StringBuilder re2);

    /** {@code *} */
    record AnyText() implements GlobPart {

        @Override
        public boolean matches(int codePoint) {
            return true;
        }

        @Override
        public void appendRe2(StringBuilder re2) {
            re2.append(".*");
        }
    }

    /** {@code ?} */
    record AnyCharacter() implements GlobPart {

        @Override
        public boolean matches(int codePoint) {
            return true;
        }

        @Override
        public void appendRe2(StringBuilder re2) {
            re2.append('.');
        }
    }

    /** A character that stands for itself. */
    record Literal(int codePoint) implements GlobPart {

        @Override
        public boolean matches(int codePoint) {
            return codePoint == this.codePoint;
        }

        @Override
        public void appendRe2(StringBuilder re2) {
            appendEscaped(re2, codePoint);
        }
    }

    /** Both ends belong to the range. */
    record Range(int first, int last) {

        boolean holds(int codePoint) {
            return first <= codePoint && codePoint <= last;
        }
    }

    /** {@code [a-c]}, or {@code [!a-c]}; without any range it matches nothing, negated every character. */
    record OneOf(boolean negated, List<Range> ranges) implements GlobPart {

        @Override
        public boolean matches(int codePoint) {
            return ranges.stream().anyMatch(range -> range.holds(codePoint)) != negated;
        }

        @Override
        public void appendRe2(StringBuilder re2) {
            if (ranges.isEmpty()) {
                re2.append(negated ? "." : "[^\\x{0}-\\x{10FFFF}]");
                return;
            }
            re2.append(negated ? "[^" : "[");
            for (Range range : ranges) {
                appendEscaped(re2, range.first);
                if (range.last != range.first) {
                    re2.append('-');
                    appendEscaped(re2, range.last);
                }
            }
            re2.append(']');
        }
    }

    /** RE2 takes a backslash before any ASCII punctuation; it has no such escape for control characters. */
    private static void appendEscaped(StringBuilder re2, int codePoint) {
        if (codePoint < ' ' || codePoint == 0x7F) {
            re2.append("\\x{").append(Integer.toHexString(codePoint)).append('}');
            return;
        }
        if ("\\.+*?()|[]{}^$-&~".indexOf(codePoint) >= 0) {
            re2.append('\\');
        }
        re2.appendCodePoint(codePoint);
    }
}

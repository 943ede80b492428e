package dev.statehouse.id;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A pattern over state ids, exactly as in Python's {@code fnmatch.fnmatchcase}: {@code *} any text, {@code ?} one
 * character, {@code [a-c]} one of, {@code [!x]} one not of; all else, {@code _}, {@code %} and the backslash included,
 * stands for itself. A character is a Unicode code point.
 */
public final class Glob {

    /** The longest pattern, in bytes of UTF-8. */
    public static final int MAX_BYTES = 1024;

    /** Matches every id. */
    public static final Glob ALL = new Glob("*");

    private final String pattern;
    private final List<GlobPart> parts;
    private final @Nullable List<Glob> reach;

    /**
     * @param pattern the pattern as the user wrote it
     * @throws IllegalArgumentException if it is empty, longer than {@value #MAX_BYTES} bytes, or no Unicode text; the
     *         message says why, for the user
     */
    public Glob(String pattern) {
        if (pattern.isEmpty()) {
            throw new IllegalArgumentException("A pattern must not be empty; '*' matches every id.");
        }
        int bytes = utf8Length(pattern);
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "A pattern is at most %,d bytes of UTF-8 long; this one has %,d.".formatted(MAX_BYTES, bytes));
        }
        this.pattern = pattern;
        this.parts = new GlobParser(pattern).parse();
        this.reach = null;
    }

    private Glob(Glob glob, List<Glob> reach) {
        this.pattern = glob.pattern;
        this.parts = glob.parts;
        this.reach = List.copyOf(reach);
    }

    /**
     * What this pattern matches of what one of those matches.
     *
     * @param limits patterns without limits of their own; none of them leaves nothing
     * @throws IllegalStateException if this one has limits already
     */
    public Glob within(List<Glob> limits) {
        if (reach != null || limits.stream().anyMatch(limit -> limit.reach != null)) {
            throw new IllegalStateException("There are limits already.");
        }
        return limits.contains(ALL) ? this : new Glob(this, limits);
    }

    private static int utf8Length(String text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)).remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("A pattern must be Unicode text; this one holds half a surrogate pair.",
                    e);
        }
    }

    /** The pattern as the user wrote it. */
    public String pattern() {
        return pattern;
    }

    /**
     * Whether the whole id matches. Only the last {@code *} is ever tried again, so that this takes at most length of
     * the pattern times length of the id.
     */
    public boolean matches(StateId id) {
        return matchesAlone(id) && (reach == null || reach.stream().anyMatch(limit -> limit.matchesAlone(id)));
    }

    private boolean matchesAlone(StateId id) {
        int[] text = id.value().codePoints().toArray();
        int at = 0;
        int part = 0;
        int lastStar = -1;
        int lastStarEnd = 0;
        while (at < text.length) {
            if (part < parts.size() && parts.get(part) instanceof GlobPart.AnyText) {
                lastStar = part++;
                lastStarEnd = at;
            } else if (part < parts.size() && parts.get(part).matches(text[at])) {
                part++;
                at++;
            } else if (lastStar >= 0) {
                part = lastStar + 1;
                at = ++lastStarEnd;
            } else {
                return false;
            }
        }
        return parts.subList(part, parts.size()).stream().allMatch(rest -> rest instanceof GlobPart.AnyText);
    }

    /** The same pattern in RE2's syntax, for the whole text, without {@link #limitsRe2}. RE2 must read UTF-8. */
    public String re2() {
        StringBuilder re2 = new StringBuilder("(?s)\\A");
        parts.forEach(part -> part.appendRe2(re2));
        return re2.append("\\z").toString();
    }

    /** What has to match besides {@link #re2}, as a pattern may be within others; empty, which matches all, if nothing. */
    public String limitsRe2() {
        if (reach == null) {
            return "";
        }
        return reach.isEmpty()
                ? "[^\\x{0}-\\x{10FFFF}]"
                : reach.stream().map(Glob::re2).collect(Collectors.joining("|", "(?:", ")"));
    }

    /** What every match begins with, for a range condition; empty if nothing is known of that. */
    public String literalPrefix() {
        String own = ownPrefix();
        String limits = reach == null ? "" : commonPrefix(reach.stream().map(Glob::ownPrefix).toList());
        return limits.startsWith(own) ? limits : own;
    }

    private static String commonPrefix(List<String> texts) {
        String common = texts.isEmpty() ? "" : texts.getFirst();
        for (String text : texts) {
            while (!text.startsWith(common)) {
                common = common.substring(0, common.offsetByCodePoints(common.length(), -1));
            }
        }
        return common;
    }

    private String ownPrefix() {
        StringBuilder prefix = new StringBuilder();
        for (GlobPart part : parts) {
            if (!(part instanceof GlobPart.Literal literal)) {
                break;
            }
            prefix.appendCodePoint(literal.codePoint());
        }
        return prefix.toString();
    }

    /** Whether the pattern matches itself and nothing else. */
    public boolean isLiteral() {
        return parts.stream().allMatch(part -> part instanceof GlobPart.Literal);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Glob glob && glob.pattern.equals(pattern) && Objects.equals(glob.reach, reach);
    }

    @Override
    public int hashCode() {
        return pattern.hashCode();
    }

    @Override
    public String toString() {
        return pattern;
    }
}

package dev.statehouse.state;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/**
 * The value of {@code If-Match} or {@code If-None-Match}, as RFC 9110 writes it.
 *
 * @param any whether it is {@code *}
 * @param strong what stands in the strong tags
 * @param weak what stands in the weak tags
 */
record EntityTags(boolean any, List<String> strong, List<String> weak) {

    private static final Pattern TAG = Pattern.compile("(W/)?\"([\\x21\\x23-\\x7E\\x80-\\xFF]*)\"");
    private static final Pattern SEPARATOR = Pattern.compile("[ \t]*(,[ \t]*)*");

    /**
     * @param lines the header's lines; empty if it is not there
     * @return null if it is not there
     */
    static @Nullable EntityTags parse(String header, List<String> lines) {
        if (lines.isEmpty()) {
            return null;
        }
        String text = String.join(",", lines).strip();
        if (text.equals("*")) {
            return new EntityTags(true, List.of(), List.of());
        }
        List<String> strong = new ArrayList<>();
        List<String> weak = new ArrayList<>();
        Matcher tag = TAG.matcher(text);
        Matcher separator = SEPARATOR.matcher(text);
        int at = skip(separator, 0);
        while (at < text.length()) {
            if (!tag.find(at) || tag.start() != at) {
                throw malformed(header);
            }
            (tag.group(1) == null ? strong : weak).add(tag.group(2));
            int next = skip(separator, tag.end());
            if (next < text.length() && text.substring(tag.end(), next).indexOf(',') < 0) {
                throw malformed(header);
            }
            at = next;
        }
        if (strong.isEmpty() && weak.isEmpty()) {
            throw malformed(header);
        }
        return new EntityTags(false, List.copyOf(strong), List.copyOf(weak));
    }

    private static int skip(Matcher separator, int from) {
        return separator.find(from) && separator.start() == from ? separator.end() : from;
    }

    private static InvalidInput malformed(String header) {
        return new InvalidInput(ProblemCode.INVALID_HEADER,
                header + " must be * or tags in double quotes, as they stand in ETag: \"1764450000000\".");
    }

    /** @param version null where there is no state */
    boolean matchesStrongly(@Nullable Long version) {
        return version != null && (any || strong.contains(version.toString()));
    }

    /** @param version null where there is no state */
    boolean matchesWeakly(@Nullable Long version) {
        return matchesStrongly(version) || version != null && weak.contains(version.toString());
    }

    static String tag(long version) {
        return "\"" + version + "\"";
    }
}

package dev.statehouse.id;

import java.util.ArrayList;
import java.util.List;

/** What Python's {@code fnmatch} matches, tried out piece by piece from left to right, to hold {@link Glob} against. */
final class PlainGlob {

    private final int[] pattern;

    PlainGlob(String pattern) {
        this.pattern = pattern.codePoints().toArray();
    }

    boolean matches(String text) {
        int[] characters = text.codePoints().toArray();
        boolean[] reached = new boolean[characters.length + 1];
        reached[0] = true;
        for (int at = 0; at < pattern.length;) {
            int end = pattern[at] == '[' ? endOfSet(at) : -1;
            boolean[] next = new boolean[reached.length];
            for (int i = 0; i < reached.length; i++) {
                if (pattern[at] == '*') {
                    next[i] = reached[i] || i > 0 && next[i - 1];
                } else if (i > 0 && reached[i - 1]) {
                    next[i] = end > 0
                            ? inSet(at + 1, end, characters[i - 1])
                            : pattern[at] == '?' || pattern[at] == characters[i - 1];
                }
            }
            reached = next;
            at = end > 0 ? end + 1 : at + 1;
        }
        return reached[characters.length];
    }

    /** Where its bracket closes; -1 if it never does. A bracket that comes first is a member. */
    private int endOfSet(int open) {
        int at = open + 1;
        if (at < pattern.length && pattern[at] == '!') {
            at++;
        }
        for (at++; at < pattern.length; at++) {
            if (pattern[at] == ']') {
                return at;
            }
        }
        return -1;
    }

    private boolean inSet(int from, int to, int character) {
        boolean negated = pattern[from] == '!';
        List<int[]> ranges = new ArrayList<>();
        for (int at = negated ? from + 1 : from; at < to;) {
            boolean range = at + 2 < to && pattern[at + 1] == '-';
            int last = range ? pattern[at + 2] : pattern[at];
            if (last >= pattern[at]) {
                ranges.add(new int[]{pattern[at], last, range ? 1 : 0});
            }
            at += range ? 3 : 1;
        }
        if (!negated && pattern[from] != '!' && !ranges.isEmpty() && ranges.getFirst()[0] == '!') {
            // what came before it was a range that runs backwards
            int[] first = ranges.removeFirst();
            negated = true;
            if (first[2] == 1) {
                ranges.add(new int[]{'-', '-', 0});
                ranges.add(new int[]{first[1], first[1], 0});
            }
        }
        return ranges.stream().anyMatch(r -> r[0] <= character && character <= r[1]) != negated;
    }
}

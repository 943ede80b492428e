package dev.statehouse.id;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reads a pattern as Python's {@code fnmatch.translate} does, its oddities included:
 * <ol>
 * <li>Several {@code *} in a row are one.
 * <li>A {@code [} that is never closed stands for itself; a {@code ]} right behind {@code [} or {@code [!} is a member.
 * <li>In a set, hyphens cut the text into chunks whose touching ends are ranges; one that comes first, or last, or
 * right behind a range is a member.
 * <li>A range that runs backwards is dropped. A {@code !} that comes first only then negates, too.
 * </ol>
 */
final class GlobParser {

    private final List<Integer> pattern;
    private int at;

    GlobParser(String pattern) {
        this.pattern = pattern.codePoints().boxed().toList();
    }

    List<GlobPart> parse() {
        List<GlobPart> parts = new ArrayList<>();
        while (at < pattern.size()) {
            int c = pattern.get(at++);
            GlobPart part = switch (c) {
                case '*' -> new GlobPart.AnyText();
                case '?' -> new GlobPart.AnyCharacter();
                case '[' -> set();
                default -> new GlobPart.Literal(c);
            };
            boolean repeatedStar = part instanceof GlobPart.AnyText && !parts.isEmpty() && parts.getLast().equals(part);
            if (!repeatedStar) {
                parts.add(part);
            }
        }
        return List.copyOf(parts);
    }

    private GlobPart set() {
        int end = at;
        if (end < pattern.size() && pattern.get(end) == '!') {
            end++;
        }
        if (end < pattern.size() && pattern.get(end) == ']') {
            end++;
        }
        while (end < pattern.size() && pattern.get(end) != ']') {
            end++;
        }
        if (end == pattern.size()) {
            return new GlobPart.Literal('[');
        }
        List<List<Integer>> chunks = chunks(pattern.subList(at, end));
        at = end + 1;
        dropBackwardRanges(chunks);
        return oneOf(chunks);
    }

    private static List<List<Integer>> chunks(List<Integer> set) {
        List<List<Integer>> chunks = new ArrayList<>();
        int from = 0;
        int hyphen = nextHyphen(set, set.getFirst() == '!' ? 2 : 1);
        while (hyphen >= 0) {
            chunks.add(new ArrayList<>(set.subList(from, hyphen)));
            from = hyphen + 1;
            hyphen = nextHyphen(set, hyphen + 3);
        }
        if (from < set.size()) {
            chunks.add(new ArrayList<>(set.subList(from, set.size())));
        } else {
            chunks.getLast().add((int) '-');
        }
        return chunks;
    }

    private static int nextHyphen(List<Integer> set, int from) {
        return IntStream.range(from, set.size()).filter(i -> set.get(i) == '-').findFirst().orElse(-1);
    }

    private static void dropBackwardRanges(List<List<Integer>> chunks) {
        for (int k = chunks.size() - 1; k > 0; k--) {
            List<Integer> left = chunks.get(k - 1);
            if (left.getLast() > chunks.get(k).getFirst()) {
                List<Integer> right = chunks.remove(k);
                left.removeLast();
                left.addAll(right.subList(1, right.size()));
            }
        }
    }

    private static GlobPart oneOf(List<List<Integer>> chunks) {
        List<GlobPart.Range> ranges = new ArrayList<>();
        List<Integer> first = chunks.getFirst();
        boolean negated = !first.isEmpty() && first.getFirst() == '!';
        if (negated) {
            first.removeFirst();
        }
        if (first.isEmpty() && chunks.size() > 1) {
            // The range began with the "!" that now negates: Python's re then reads its hyphen as a member.
            first.add((int) '-');
            first.addAll(chunks.remove(1));
        }
        for (int k = 0; k < chunks.size(); k++) {
            List<Integer> chunk = chunks.get(k);
            chunk.forEach(c -> ranges.add(new GlobPart.Range(c, c)));
            if (k > 0) {
                ranges.add(new GlobPart.Range(/* first= */ chunks.get(k - 1).getLast(), /* last= */ chunk.getFirst()));
            }
        }
        return new GlobPart.OneOf(negated, List.copyOf(ranges));
    }
}

package dev.statehouse.id;

/**
 * A pattern over state ids, as in Python's {@code fnmatch.fnmatchcase}: {@code *} any text, {@code ?} one character,
 * {@code [a-c]} one of, {@code [!x]} one not of; all else, {@code _} and {@code %} included, stands for itself.
 *
 * @param pattern the pattern as the user wrote it
 */
public record Glob(String pattern) {

    /** Matches every id. */
    public static final Glob ALL = new Glob("*");

    @Override
    public String toString() {
        return pattern;
    }
}

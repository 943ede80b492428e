package dev.statehouse.json;

import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** RFC 8259 as it is written down, character by character, to hold the quick reader against. */
final class PlainJson {

    private final String text;
    private final StringBuilder compact = new StringBuilder();
    private int at;
    private int depth;
    private int deepest;
    private int longestNumber;
    private int longestKey;
    private boolean keyTwice;
    private boolean json;

    private PlainJson(String text) {
        this.text = text;
    }

    /** @param text null for what is no text */
    static PlainJson read(@Nullable String text) {
        PlainJson plain = new PlainJson(text == null ? "" : text);
        try {
            plain.space();
            plain.value();
            plain.space();
            plain.json = plain.at == plain.text.length();
        } catch (Unexpected e) {
            plain.json = false;
        }
        return plain;
    }

    boolean isJson() {
        return json;
    }

    boolean hasKeyTwice() {
        return keyTwice;
    }

    int depth() {
        return deepest;
    }

    /** Whether it may be refused for its size. */
    boolean isOverALimit() {
        return deepest > JsonCheck.MAX_DEPTH || longestNumber > JsonCheck.MAX_NUMBER_LENGTH
                || longestKey > JsonCheck.MAX_KEY_LENGTH;
    }

    /** Without white space between tokens. */
    String compact() {
        return compact.toString();
    }

    private void value() {
        switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        }
    }

    private void object() {
        open('{');
        Set<String> keys = new HashSet<>();
        if (peek() != '}') {
            do {
                space();
                String key = string();
                longestKey = Math.max(longestKey, key.length());
                keyTwice |= !keys.add(key);
                space();
                take(':');
                space();
                value();
                space();
            } while (taken(','));
        }
        close('}');
    }

    private void array() {
        open('[');
        if (peek() != ']') {
            do {
                space();
                value();
                space();
            } while (taken(','));
        }
        close(']');
    }

    private void open(char bracket) {
        take(bracket);
        deepest = Math.max(deepest, ++depth);
        if (depth > 2 * JsonCheck.MAX_DEPTH) {
            throw new Unexpected();
        }
        space();
    }

    private void close(char bracket) {
        take(bracket);
        depth--;
    }

    private String string() {
        StringBuilder meant = new StringBuilder();
        take('"');
        while (peek() != '"') {
            if (peek() < ' ') {
                throw new Unexpected();
            }
            meant.append(taken('\\') ? escaped() : next());
        }
        take('"');
        return meant.toString();
    }

    private char escaped() {
        int which = "\"\\/bfnrtu".indexOf(peek());
        next();
        if (which < 0) {
            throw new Unexpected();
        } else if (which < 8) {
            return "\"\\/\b\f\n\r\t".charAt(which);
        }
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = "0123456789abcdef".indexOf(Character.toLowerCase(peek()));
            if (digit < 0 || peek() > 'f') {
                throw new Unexpected();
            }
            code = code * 16 + digit;
            next();
        }
        return (char) code;
    }

    private void number() {
        int start = at;
        taken('-');
        if (!taken('0')) {
            digits();
        }
        if (taken('.')) {
            digits();
        }
        if (taken('e') || taken('E')) {
            if (!taken('+')) {
                taken('-');
            }
            digits();
        }
        longestNumber = Math.max(longestNumber, at - start);
    }

    private void digits() {
        do {
            if (peek() < '0' || peek() > '9') {
                throw new Unexpected();
            }
            next();
        } while (peek() >= '0' && peek() <= '9');
    }

    private void word(String word) {
        word.chars().forEach(c -> take((char) c));
    }

    private void space() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    /** U+0000 at the end, which is nothing that JSON could have there. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private char next() {
        if (at == text.length()) {
            throw new Unexpected();
        }
        compact.append(text.charAt(at));
        return text.charAt(at++);
    }

    private boolean taken(char c) {
        boolean there = peek() == c && at < text.length();
        if (there) {
            next();
        }
        return there;
    }

    private void take(char c) {
        if (!taken(c)) {
            throw new Unexpected();
        }
    }

    private static final class Unexpected extends RuntimeException {}
}

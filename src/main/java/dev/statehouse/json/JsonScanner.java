package dev.statehouse.json;

import tools.jackson.core.JsonParser;

/**
 * Walks through one JSON object whose text is compact and was checked by {@link JsonCheck}: it relies on that, and
 * checks nothing. Offsets are in UTF-16 units.
 */
final class JsonScanner {

    private final String text;
    private int position;

    /** Stands at the start of the text. */
    JsonScanner(String text) {
        this.text = text;
    }

    /** The same text without white space between tokens. */
    static String compact(String checked) {
        StringBuilder compact = new StringBuilder();
        int copied = 0;
        int at = 0;
        while (at < checked.length()) {
            char c = checked.charAt(at);
            if (c == '"') {
                at = endOfString(checked, at);
            } else if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
                compact.append(checked, copied, at);
                copied = ++at;
            } else {
                at++;
            }
        }
        return copied == 0 ? checked : compact.append(checked, copied, at).toString();
    }

    /** @param start where its opening quote is */
    private static int endOfString(String text, int start) {
        int at = start + 1;
        for (char c = text.charAt(at); c != '"'; c = text.charAt(at)) {
            at += c == '\\' ? 2 : 1;
        }
        return at + 1;
    }

    /** The characters that a JSON string, in its quotes, stands for. */
    static String decode(String quoted) {
        if (quoted.indexOf('\\') < 0) {
            return quoted.substring(1, quoted.length() - 1);
        }
        try (JsonParser parser = JsonCheck.parser(quoted)) {
            parser.nextToken();
            return parser.getString();
        }
    }

    int position() {
        return position;
    }

    boolean at(char c) {
        return text.charAt(position) == c;
    }

    /**
     * From the start of an object, or from behind a member's value, goes on to the next member's key; with none left,
     * behind the object.
     *
     * @return whether there is a member
     */
    boolean nextMember() {
        char c = text.charAt(position++);
        if (c == '{' && at('}')) {
            position++;
            return false;
        }
        return c != '}';
    }

    /** From the start of a key goes on to its value. */
    String key() {
        int start = position;
        position = endOfString(text, start);
        return decode(text.substring(start, position++));
    }

    /** From the start of a value goes on to what follows it. */
    void skipValue() {
        if (at('{') || at('[')) {
            skipNested();
        } else if (at('"')) {
            position = endOfString(text, position);
        } else {
            while (!at(',') && !at('}')) {
                position++;
            }
        }
    }

    private void skipNested() {
        int depth = 0;
        do {
            char c = text.charAt(position);
            if (c == '"') {
                position = endOfString(text, position);
                continue;
            }
            position++;
            if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                depth--;
            }
        } while (depth > 0);
    }
}

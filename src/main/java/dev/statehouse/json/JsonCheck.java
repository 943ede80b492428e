package dev.statehouse.json;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import tools.jackson.core.ErrorReportConfiguration;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/** Checks that a text is one JSON value, by RFC 8259 to the letter, without a key that stands twice in one object. */
final class JsonCheck {

    /** How many objects and arrays may stand in one another. */
    static final int MAX_DEPTH = 500;
    /** In digits. */
    static final int MAX_NUMBER_LENGTH = 1_000;
    /** In UTF-16 units. */
    static final int MAX_KEY_LENGTH = 50_000;

    private static final int MAX_QUOTED = 80;

    // A table of names, shared by all requests, would let one caller's keys slow down or fail another's.
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxNameLength(MAX_KEY_LENGTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .errorReportConfiguration(ErrorReportConfiguration.builder().maxErrorTokenLength(40).build())
            .build();

    /** What Jackson says to programmers, not to users. */
    private static final Pattern JARGON = Pattern.compile(
            ": enable `.*| \\(start marker at .*| \\(for .*| \\(not recognized as one since.*|, from `[^`]*`",
            Pattern.DOTALL);
    private static final Pattern HALF_A_PAIR = Pattern.compile("\\p{Cs}");

    private JsonCheck() {}

    static JsonParser parser(String text) {
        return FACTORY.createParser(ObjectReadContext.empty(), text);
    }

    /** @throws InvalidInput as {@link JsonValue#parse(String)} */
    static void check(String text) {
        if (text.startsWith("\uFEFF")) {
            throw notJson("it begins with a byte order mark; send it without", 1, 1);
        }
        try (JsonParser parser = parser(text)) {
            try {
                checkValue(parser);
                if (parser.nextToken() != null) {
                    throw notJson("there is more behind the value", parser.currentTokenLocation());
                }
            } catch (StreamConstraintsException e) {
                TokenStreamLocation at = parser.currentLocation();
                throw new InvalidInput(ProblemCode.JSON_LIMIT, "%s, at line %d, column %d."
                        .formatted(forUsers(e.getOriginalMessage()), at.getLineNr(), at.getColumnNr()));
            } catch (JacksonException e) {
                throw notJson(e.getOriginalMessage(), e.getLocation());
            }
        }
    }

    private static void checkValue(JsonParser parser) {
        Deque<Set<String>> keys = new ArrayDeque<>();
        do {
            switch (parser.nextToken()) {
                case null -> throw notJson("it holds no value", parser.currentLocation());
                case START_OBJECT -> keys.push(new HashSet<>());
                case END_OBJECT -> keys.pop();
                case PROPERTY_NAME -> {
                    if (!keys.element().add(parser.currentName())) {
                        throw duplicateKey(parser);
                    }
                }
                default -> {
                    // The parser checks the rest.
                }
            }
        } while (!parser.streamReadContext().inRoot());
    }

    private static InvalidInput duplicateKey(JsonParser parser) {
        TokenStreamLocation at = parser.currentTokenLocation();
        return new InvalidInput(ProblemCode.DUPLICATE_KEY,
                "The key '%s' stands twice in one object: %s, at line %d, column %d.".formatted(
                        shortened(parser.currentName()),
                        shortened(parser.streamReadContext().pathAsPointer().toString()), at.getLineNr(),
                        at.getColumnNr()));
    }

    private static InvalidInput notJson(String what, TokenStreamLocation at) {
        return notJson(what, at.getLineNr(), at.getColumnNr());
    }

    private static InvalidInput notJson(String what, int line, int column) {
        return new InvalidInput(ProblemCode.NOT_JSON,
                "This is not JSON: %s, at line %d, column %d.".formatted(forUsers(what), line, column));
    }

    private static String shortened(String text) {
        return unicode(text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "…");
    }

    private static String forUsers(String message) {
        return unicode(JARGON.matcher(message).replaceAll(""));
    }

    /** An answer must be Unicode text, although what it quotes may not be. */
    private static String unicode(String text) {
        return HALF_A_PAIR.matcher(text).replaceAll("\uFFFD");
    }
}

package dev.statehouse.problem;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** Reads the values of parameters; what is not as it should be is refused with the range that would be. */
public final class Inputs {

    private Inputs() {}

    /** @param text the parameter as given; null if it is not */
    public static boolean flag(String name, @Nullable String text) {
        return switch (text) {
            case null -> false;
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid("%s must be true or false, not '%s'.".formatted(name, text));
        };
    }

    /** @param text the parameter as given; null if it is not */
    public static long integer(String name, @Nullable String text, long min, long max, long otherwise) {
        if (text == null) {
            return otherwise;
        }
        if (text.matches("-?[0-9]{1,19}")) {
            try {
                long value = Long.parseLong(text);
                if (value >= min && value <= max) {
                    return value;
                }
            } catch (NumberFormatException e) {
                throw invalid(range(name, text, min, max));
            }
        }
        throw invalid(range(name, text, min, max));
    }

    private static String range(String name, String text, long min, long max) {
        return "%s must be a whole number from %d to %d, not '%s'.".formatted(name, min, max, text);
    }

    /**
     * Whether a parameter that knows one word is given.
     *
     * @param text the parameter as given; null if it is not
     */
    public static boolean word(String name, @Nullable String text, String word) {
        if (text != null && !text.equals(word)) {
            throw invalid("%s must be %s, or left out, not '%s'.".formatted(name, word, text));
        }
        return text != null;
    }

    /**
     * One of the constants of an enum, written in lower case.
     *
     * @param text the parameter as given; null if it is not
     */
    public static <E extends Enum<E>> E choice(String name, @Nullable String text, E otherwise) {
        if (text == null) {
            return otherwise;
        }
        E[] constants = otherwise.getDeclaringClass().getEnumConstants();
        return Arrays.stream(constants)
                .filter(constant -> word(constant).equals(text))
                .findFirst()
                .orElseThrow(() -> invalid("%s must be one of %s, not '%s'.".formatted(name,
                        Arrays.stream(constants).map(Inputs::word).collect(Collectors.joining(", ")), text)));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static InvalidInput invalid(String detail) {
        return new InvalidInput(ProblemCode.INVALID_PARAMETER, detail);
    }
}

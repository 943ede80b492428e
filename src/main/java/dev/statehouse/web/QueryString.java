package dev.statehouse.web;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/** The parameters of a query string; a name that is given twice is refused, since one of its values would go unseen. */
final class QueryString {

    private QueryString() {}

    static Map<String, String[]> parse(@Nullable String query) {
        Map<String, String[]> parameters = new LinkedHashMap<>();
        if (query == null) {
            return parameters;
        }
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
            if (parameters.put(name, new String[]{value}) != null) {
                throw new InvalidInput(ProblemCode.INVALID_PARAMETER,
                        "The query parameter '" + name + "' is given twice; give it once.");
            }
        }
        return parameters;
    }

    private static String decode(String text) {
        return PercentDecoder.decode(text, true, ProblemCode.INVALID_PARAMETER, "query string");
    }
}

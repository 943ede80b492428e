package dev.statehouse.testing;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One call of the contract.
 *
 * @param method in capitals
 * @param path with its variables in braces
 * @param part where it stands
 */
public record Operation(String method, String path, Part part) {

    private static final Set<String> METHODS = Set.of("get", "head", "put", "patch", "post", "delete", "options");

    static boolean isMethod(String name) {
        return METHODS.contains(name);
    }

    public String id() {
        return part.text("operationId");
    }

    /** Whether it is this call that a request with this method and path asks for. */
    boolean takes(String requestMethod, String rawPath) {
        String regex = Pattern.compile("\\{[^}]+}")
                .splitAsStream(path)
                .map(Pattern::quote)
                .collect(Collectors.joining("[^/]+")) + (path.endsWith("}") ? "[^/]+" : "");
        return method.equals(requestMethod) && rawPath.matches(regex);
    }

    /** The parameters of this place ({@code query}, {@code header}, {@code path}) by name; headers in small letters. */
    public Map<String, Part> parameters(String in) {
        Map<String, Part> parameters = new LinkedHashMap<>();
        for (Part parameter : part.get("parameters").each()) {
            if (parameter.text("in").equals(in)) {
                String name = parameter.text("name");
                parameters.put(in.equals("header") ? name.toLowerCase(Locale.ROOT) : name, parameter);
            }
        }
        return parameters;
    }

    @Override
    public String toString() {
        return method + " " + path;
    }
}

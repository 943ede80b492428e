package dev.statehouse.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/**
 * Compares the routes of the running service with the contract, both ways: methods and paths, query parameters, headers,
 * and the type of the body.
 */
public final class RouteParity {

    private static final String ANY = "*";

    private final Contract contract = Contract.load();
    private final List<String> ignored = new ArrayList<>();
    private final Map<Class<?>, Set<String>> arguments = new HashMap<>();

    /** Paths that start so are no part of the comparison, on neither side: other handlers serve them. */
    public RouteParity ignore(String... prefixes) {
        ignored.addAll(Arrays.asList(prefixes));
        return this;
    }

    /** A handler that takes an argument of this type reads these headers by it. */
    public RouteParity argument(Class<?> type, String... headers) {
        arguments.computeIfAbsent(type, key -> new TreeSet<>())
                .addAll(Arrays.stream(headers).map(name -> name.toLowerCase(Locale.ROOT)).toList());
        return this;
    }

    /** What one call has on one side; {@code *} among the headers where the handler takes them all. */
    private record Route(Set<String> query, Set<String> headers, Set<String> consumes) {

        Route() {
            this(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
        }
    }

    /**
     * Each difference between the two, in a line.
     *
     * @param routes as {@code RequestMappingHandlerMapping.getHandlerMethods()} has them
     * @return a line for each difference; empty if there is none
     */
    public List<String> differences(Map<RequestMappingInfo, HandlerMethod> routes) {
        Map<String, Route> served = new TreeMap<>();
        routes.forEach((info, handler) -> add(served, info, handler));
        Map<String, Route> promised = new TreeMap<>();
        contract.operations()
                .stream()
                .filter(o -> counts(o.path()))
                .forEach(o -> promised.put(
                        key(o.method(), o.path()),
                        new Route(o.parameters("query").keySet(), o.parameters("header").keySet(),
                                Set.copyOf(o.part().get("requestBody").get("content").names()))));
        List<String> differences = new ArrayList<>();
        served.keySet()
                .stream()
                .filter(key -> !promised.containsKey(key))
                .forEach(key -> differences.add(key + ": served, but not in the contract"));
        promised.forEach((key, route) -> {
            Route real = served.get(key.replaceFirst("^HEAD ", "GET "));
            if (real == null) {
                differences.add(key + ": in the contract, but not served");
            } else {
                compare(key, real, route, differences);
            }
        });
        return differences;
    }

    private void add(Map<String, Route> served, RequestMappingInfo info, HandlerMethod handler) {
        for (String path : info.getPatternValues()) {
            if (!counts(path)) {
                continue;
            }
            List<String> methods = info.getMethodsCondition().getMethods().stream().map(Enum::name).toList();
            for (String method : methods.isEmpty() ? List.of("ANY") : methods) {
                Route route = served.computeIfAbsent(key(method, path), key -> new Route());
                info.getParamsCondition().getExpressions().forEach(e -> route.query().add(e.getName()));
                info.getConsumesCondition()
                        .getConsumableMediaTypes()
                        .forEach(type -> route.consumes().add(type.toString()));
                for (MethodParameter parameter : handler.getMethodParameters()) {
                    read(parameter, route);
                }
            }
        }
    }

    private void read(MethodParameter parameter, Route route) {
        parameter.initParameterNameDiscovery(new org.springframework.core.DefaultParameterNameDiscoverer());
        RequestParam query = parameter.getParameterAnnotation(RequestParam.class);
        RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
        if (query != null) {
            route.query().add(name(query.name(), parameter));
        }
        if (arguments.containsKey(parameter.getParameterType())) {
            route.headers().addAll(arguments.getOrDefault(parameter.getParameterType(), Set.of()));
        } else if (header != null) {
            boolean all = Map.class.isAssignableFrom(parameter.getParameterType())
                    || parameter.getParameterType().getSimpleName().equals("HttpHeaders");
            route.headers().add(all ? ANY : name(header.name(), parameter).toLowerCase(Locale.ROOT));
        }
    }

    private static String name(String given, MethodParameter parameter) {
        return given.isEmpty() ? String.valueOf(parameter.getParameterName()) : given;
    }

    private static void compare(String key, Route real, Route promised, List<String> differences) {
        compare(key, "query parameters", real.query(), promised.query(), differences);
        if (!real.consumes().isEmpty() || promised.consumes().isEmpty()) {
            compare(key, "types of the body", real.consumes(), promised.consumes(), differences);
        }
        if (!real.headers().contains(ANY)) {
            Set<String> wanted = new TreeSet<>(promised.headers());
            if (key.startsWith("GET ") && !real.headers().contains("if-none-match")) {
                wanted.remove("if-none-match"); // Spring itself compares it with the ETag of an answer
            }
            compare(key, "headers", real.headers(), wanted, differences);
        }
    }

    private static void compare(String key, String what, Set<String> real, Set<String> promised,
            List<String> differences) {
        if (!real.equals(promised)) {
            differences
                    .add("%s: the service reads the %s %s, the contract has %s".formatted(key, what, real, promised));
        }
    }

    private boolean counts(String path) {
        return ignored.stream().noneMatch(path::startsWith);
    }

    /** Names of path variables do not count. */
    private static String key(String method, String path) {
        return method + " " + path.replaceAll("\\{[^}]*}", "{}");
    }
}

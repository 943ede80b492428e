package dev.statehouse.web;

import java.util.Arrays;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/** Refuses query parameters that a call does not have: {@code stategy=merge} must not pass as a plain PATCH. */
final class UnknownParameterInterceptor implements HandlerInterceptor {

    private static final String OURS = "dev.statehouse";

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (handler instanceof HandlerMethod method && method.getBeanType().getName().startsWith(OURS)) {
            SortedSet<String> known = namesOf(method);
            request.getParameterMap()
                    .keySet()
                    .stream()
                    .filter(name -> !known.contains(name))
                    .findFirst()
                    .ifPresent(name -> {
                        throw new InvalidInput(ProblemCode.UNKNOWN_PARAMETER,
                                "There is no query parameter '" + name + "' here; "
                                        + (known.isEmpty()
                                                ? "this call has none."
                                                : "there is " + String.join(", ", known) + "."));
                    });
        }
        return true;
    }

    private static SortedSet<String> namesOf(HandlerMethod method) {
        SortedSet<String> names = new TreeSet<>();
        for (MethodParameter parameter : method.getMethodParameters()) {
            RequestParam annotation = parameter.getParameterAnnotation(RequestParam.class);
            if (annotation != null) {
                String named = annotation.value().isEmpty() ? annotation.name() : annotation.value();
                names.add(named.isEmpty() ? nameOf(method, parameter) : named);
            }
        }
        return names;
    }

    private static String nameOf(HandlerMethod method, MethodParameter parameter) {
        return Objects.requireNonNull(
                Arrays.asList(method.getMethod().getParameters()).get(parameter.getParameterIndex()).getName());
    }
}

package dev.statehouse.web;

import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.statehouse.auth.Access;
import dev.statehouse.auth.Audit;
import dev.statehouse.auth.Needs;
import dev.statehouse.auth.Role;
import dev.statehouse.id.StateId;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/** Holds a call to what it {@link Needs}: the role, for the very id that the call will be given. */
final class NeedsInterceptor implements HandlerInterceptor {

    private static final String OURS = "dev.statehouse.";
    private static final String ID = "id";

    private final Access access;

    NeedsInterceptor(Access access) {
        this.access = access;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (!(handler instanceof HandlerMethod method) || !method.getBeanType().getName().startsWith(OURS)
                || method.getBeanType() == ContractPage.class) {
            return true;
        }
        Needs needs = method.getMethodAnnotation(Needs.class);
        MDC.put(Audit.CALL, needs == null ? "-" : needs.to());
        if (access.caller().isAnybody()) {
            return true;
        }
        Role role = needs == null ? Role.OPERATOR : needs.value();
        StateId id = id(request);
        if (id == null) {
            access.check(role);
        } else {
            access.check(role, id);
        }
        return true;
    }

    @Override
    public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
            @Nullable Exception failure) {
        MDC.remove(Audit.CALL);
    }

    /** What is no state id is left to the call, which refuses it. */
    private static @Nullable StateId id(HttpServletRequest request) {
        Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        if (variables instanceof Map<?, ?> map && map.get(ID) instanceof String text) {
            try {
                return new StateId(text);
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
        return null;
    }
}

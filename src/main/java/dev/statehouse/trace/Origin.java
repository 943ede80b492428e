package dev.statehouse.trace;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The call that a thread works for. Both parts of it are kept by the thread alone, so whoever lets another thread go on hands
 * it over.
 *
 * @param requestId as it stands in log lines; null outside of a call
 * @param trace with the span of the call, if it is traced
 */
public record Origin(@Nullable String requestId, Context trace) {

    /** The name of the request id in log lines. */
    public static final String REQUEST_ID = "request_id";

    private static final int MOST_NAMED = 8;

    public static Origin current() {
        return new Origin(MDC.get(REQUEST_ID), Context.current());
    }

    /** Of work that is done for several: log lines name them all, or the first few; the span goes on from the first traced. */
    public static Origin of(List<Origin> several) {
        List<String> ids = several.stream().map(Origin::requestId).filter(Objects::nonNull).distinct().toList();
        String named = ids.stream().limit(MOST_NAMED).collect(Collectors.joining(","));
        return new Origin(ids.isEmpty() ? null : ids.size() > MOST_NAMED ? named + ",…" : named, several.stream()
                .filter(Origin::isTraced)
                .findFirst()
                .map(Origin::trace)
                .orElse(Context.root()));
    }

    public boolean isTraced() {
        return span().isSampled();
    }

    SpanContext span() {
        return Span.fromContext(trace).getSpanContext();
    }

    /** Notes at the call's span where it was gone on with. */
    void note(String name, String value) {
        Span.fromContext(trace).setAttribute(name, value);
    }

    /** For the work of a thread that has done nothing else. */
    public <T extends @Nullable Object> T in(Supplier<T> work) {
        try (Scope traced = trace.makeCurrent(); var named = named()) {
            return work.get();
        }
    }

    private MDC.@Nullable MDCCloseable named() {
        return requestId == null ? null : MDC.putCloseable(REQUEST_ID, requestId);
    }
}

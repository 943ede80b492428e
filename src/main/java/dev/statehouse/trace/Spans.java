package dev.statehouse.trace;

import java.util.List;
import java.util.function.Supplier;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;

/** The spans below that of a call. What no traced call asked for has none. */
public final class Spans {

    /** Where nothing is traced. */
    public static final Spans NONE = new Spans(TracerProvider.noop().get("statehouse"));

    private static final String BATCH = "statehouse.batch";

    private final Tracer tracer;

    public Spans(Tracer tracer) {
        this.tracer = tracer;
    }

    /**
     * One call to ClickHouse.
     *
     * @param what is asked of it
     */
    public <T extends @Nullable Object> T statement(String what, Supplier<T> work) {
        if (!Span.current().getSpanContext().isSampled()) {
            return work.get();
        }
        return during(tracer.spanBuilder("clickhouse " + what)
                .setSpanKind(SpanKind.CLIENT)
                .setAttribute("db.system.name", "clickhouse")
                .setAttribute("db.operation.name", what), work);
    }

    /**
     * One batch: a span in the trace of its first traced call, with links to those of all. Their spans say where it is, as
     * {@code trace-span}.
     */
    public <T extends Object> T batch(String name, int size, List<Origin> calls, Supplier<T> work) {
        List<Origin> traced = calls.stream().filter(Origin::isTraced).distinct().toList();
        return Origin.of(calls).in(() -> {
            if (traced.isEmpty()) {
                return work.get();
            }
            SpanBuilder span = tracer.spanBuilder("batch of " + name).setAttribute("statehouse.batch.size", size);
            traced.forEach(call -> span.addLink(call.span()));
            return during(span, () -> {
                SpanContext batch = Span.current().getSpanContext();
                traced.forEach(call -> call.note(BATCH, batch.getTraceId() + "-" + batch.getSpanId()));
                return work.get();
            });
        });
    }

    private static <T extends @Nullable Object> T during(SpanBuilder builder, Supplier<T> work) {
        Span span = builder.startSpan();
        try (Scope current = span.makeCurrent()) {
            return work.get();
        } catch (RuntimeException e) {
            // Its class alone: what an error says may quote a state.
            span.setStatus(StatusCode.ERROR, e.getClass().getSimpleName());
            throw e;
        } finally {
            span.end();
        }
    }

    /** The present span as W3C's {@code traceparent} names it; null if nothing is traced. */
    public static @Nullable String traceparent() {
        SpanContext span = Span.current().getSpanContext();
        return span.isSampled()
                ? "00-" + span.getTraceId() + "-" + span.getSpanId() + "-" + span.getTraceFlags().asHex()
                : null;
    }
}

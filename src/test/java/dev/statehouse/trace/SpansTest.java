package dev.statehouse.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class SpansTest {

    private final List<SpanData> ended = new ArrayList<>();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(new SpanExporter() {

                @Override
                public CompletableResultCode export(java.util.Collection<SpanData> spans) {
                    ended.addAll(spans);
                    return CompletableResultCode.ofSuccess();
                }

                @Override
                public CompletableResultCode flush() {
                    return CompletableResultCode.ofSuccess();
                }

                @Override
                public CompletableResultCode shutdown() {
                    return CompletableResultCode.ofSuccess();
                }
            }))
            .build();
    private final Spans spans = new Spans(provider.get("a test"));

    private Span call() {
        return provider.get("a test").spanBuilder("call").setNoParent().startSpan();
    }

    private static Origin of(String requestId, Span span) {
        return new Origin(requestId, Context.root().with(span));
    }

    private static Origin untraced(String requestId) {
        return new Origin(requestId, Context.root());
    }

    @Test
    void aBatchGoesOnFromTheFirstTracedCallAndLinksToAll() {
        Span first = call();
        Span second = call();
        spans.batch("tests", 3, List.of(untraced("r0"), of("r1", first), of("r2", second)),
                () -> spans.statement("read", () -> assertThat(Spans.traceparent()).isNotNull()));
        SpanData batch = ended.get(1);
        assertThat(batch.getName()).isEqualTo("batch of tests");
        assertThat(batch.getParentSpanContext()).isEqualTo(first.getSpanContext());
        assertThat(batch.getLinks()).extracting(LinkData::getSpanContext)
                .containsExactly(first.getSpanContext(), second.getSpanContext());
        assertThat(ended.getFirst().getParentSpanId()).isEqualTo(batch.getSpanId());
        second.end();
        assertThat(ended.getLast().getAttributes().asMap().values())
                .containsExactly(batch.getTraceId() + "-" + batch.getSpanId());
    }

    @Test
    void whatNoTracedCallAskedForHasNoSpan() {
        String traced = spans.batch("tests", 1, List.of(untraced("r0")),
                () -> String.valueOf(spans.<@Nullable String>statement("read", Spans::traceparent)));
        assertThat(traced).isEqualTo("null");
        assertThat(ended).isEmpty();
    }

    @Test
    void whatFailsIsMarkedWithoutWhatTheErrorSays() {
        Span call = call();
        assertThatThrownBy(() -> of("r", call).in(() -> spans.statement("read", () -> {
            throw new IllegalStateException("a secret");
        }))).isInstanceOf(IllegalStateException.class);
        assertThat(ended.getFirst().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(ended.getFirst().toString()).doesNotContain("secret");
        assertThat(Spans.traceparent()).isNull();
    }

    @Test
    void logLinesOfABatchNameTheCallsUpToAFew() {
        assertThat(spans.batch("tests", 2, List.of(untraced("r0"), untraced("r1"), untraced("r0")),
                () -> MDC.get("request_id"))).isEqualTo("r0,r1");
        List<Origin> many = IntStream.range(0, 100).mapToObj(i -> untraced("r" + i)).toList();
        assertThat(spans.batch("tests", 100, many, () -> MDC.get("request_id")))
                .isEqualTo("r0,r1,r2,r3,r4,r5,r6,r7,…");
        assertThat(MDC.get("request_id")).isNull();
    }
}

package dev.statehouse.trace;

import static dev.statehouse.testing.ContractClient.lock;
import static dev.statehouse.testing.ContractClient.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestClickHouse;
import dev.statehouse.trace.OtlpReceiver.Received;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Spans of real calls, as a collector gets them, and the names under which ClickHouse knows them. */
@Execution(ExecutionMode.CONCURRENT)
class TracingIT {

    private static final TestClickHouse SERVER = TestClickHouse.shared();
    private static final String SCHEMA = SERVER.freshName();
    private static final String CALLER = "00f067aa0ba902b7";

    private static OtlpReceiver collector;
    private static RunningService service;

    private final String traceId = UUID.randomUUID().toString().replace("-", "");

    private ContractClient traced() {
        return service.client().with("traceparent", "00-" + traceId + "-" + CALLER + "-01");
    }

    /** A row remembers in a column of the test's own which comment the INSERT came with. */
    @BeforeAll
    static void start() throws IOException {
        collector = OtlpReceiver.start();
        service = RunningService.start(SERVER.uri("default"), SCHEMA,
                "--management.opentelemetry.tracing.export.otlp.endpoint=" + collector.endpoint(),
                "--management.opentelemetry.tracing.export.schedule-delay=50ms",
                "--management.tracing.sampling.probability=0");
        for (String table : List.of(service.table(), service.ledger())) {
            SERVER.query("ALTER TABLE " + table + " ADD COLUMN comment String DEFAULT getSetting('log_comment')");
        }
    }

    @AfterAll
    static void stop() {
        service.close();
        collector.close();
        SERVER.dropDatabase(SCHEMA);
    }

    /** What has come of the trace once the call and all of these have; a batch may end after the answers that come of it. */
    private List<Received> trace(String... names) {
        for (String name : names) {
            collector.await(span -> span.traceId().equals(traceId) && span.name().equals(name));
        }
        return collector.await(span -> span.traceId().equals(traceId) && span.parentId().equals(CALLER));
    }

    private static Received named(List<Received> spans, String name) {
        assertThat(spans).extracting(Received::name).contains(name);
        return spans.stream().filter(span -> span.name().equals(name)).findFirst().orElseThrow();
    }

    private static String comment(String table, String where) {
        return SERVER.query("SELECT comment FROM " + table + " WHERE " + where);
    }

    private static String traceparent(Received span) {
        return "00-" + span.traceId() + "-" + span.spanId() + "-01";
    }

    @Test
    void aWriteIsOneSpanWithItsBatchAndEachStatementBelowAndClickHouseKnowsThem() {
        traced().put(state("written"), "{\"completed_state\": {\"v\": 1}}").expect(201);
        List<Received> spans = trace("batch of writes");
        assertThat(spans).extracting(Received::name)
                .containsExactlyInAnyOrder("http put /states/{id}", "batch of writes", "clickhouse read_and_look",
                        "clickhouse append", "clickhouse store_if");
        Received call = named(spans, "http put /states/{id}");
        Received batch = named(spans, "batch of writes");
        assertThat(batch.parentId()).isEqualTo(call.spanId());
        assertThat(batch.links()).containsExactly(call.spanId());
        assertThat(call.attributes()).containsEntry("statehouse.batch", traceId + "-" + batch.spanId());
        assertThat(spans).filteredOn(span -> span.name().startsWith("clickhouse"))
                .allSatisfy(span -> assertThat(span.parentId()).isEqualTo(batch.spanId()));
        assertThat(comment(service.table(), "state_id = 'written'"))
                .isEqualTo(traceparent(named(spans, "clickhouse store_if")));
        assertThat(comment(service.ledger(), "state_id = 'written' AND event = 'write'"))
                .isEqualTo(traceparent(named(spans, "clickhouse append")));
    }

    /** Statements are used again. */
    @Test
    void aCallThatIsNotTracedLeavesNoCommentOfTheOneBefore() {
        traced().put(state("before"), "{\"completed_state\": {\"v\": 1}}").expect(201);
        for (int i = 0; i < 20; i++) {
            service.client().put(state("plain-" + i), "{\"completed_state\": {\"v\": 1}}").expect(201);
        }
        assertThat(SERVER.query("SELECT count() FROM " + service.ledger() + " WHERE startsWith(state_id, 'plain-')"
                + " AND event = 'write'")).isEqualTo("20");
        assertThat(SERVER.query("SELECT countIf(comment != '') FROM " + service.ledger()
                + " WHERE startsWith(state_id, 'plain-')")).isEqualTo("0");
    }

    @Test
    void whatIsAskedBesidesBelongsToTheCallToo() {
        String lockId = UUID.randomUUID().toString();
        service.client().post(lock("held"), "{\"owner\": \"a run\", \"lock_id\": \"" + lockId + "\"}").expect(201);
        traced().delete(lock("held"), "Lock-Token", lockId).expect(204);
        List<Received> spans = trace("clickhouse look");
        Received call = named(spans, "http delete /locks/{id}");
        Received look = named(spans, "clickhouse look");
        assertThat(look.parentId()).isEqualTo(call.spanId());
        assertThat(comment(service.ledger(), "state_id = 'held' AND event = 'request'"))
                .as("of a call that is not traced")
                .isEmpty();
    }

    @Test
    void noSecretIsInASpan() {
        String lockId = UUID.randomUUID().toString();
        traced().post(lock("secret"), "{\"owner\": \"a run\", \"lock_id\": \"" + lockId + "\"}").expect(201);
        assertThat(trace().toString()).doesNotContain(lockId);
    }

    @Test
    void whatAnErrorSaysIsInNoSpan() {
        Span failed = service.context().getBean(Tracer.class).spanBuilder("failed").setParent(caller()).startSpan();
        failed.setAttribute("seen", "an attribute");
        failed.recordException(new IllegalStateException("a driver's words"));
        failed.end();
        assertThat(named(trace("failed"), "failed").bytes()).contains("an attribute").doesNotContain("driver");
    }

    private Context caller() {
        return Context.root()
                .with(Span.wrap(SpanContext.createFromRemoteParent(traceId, CALLER, TraceFlags.getSampled(),
                        TraceState.getDefault())));
    }

    @Test
    void withoutACollectorNothingOfItIsThere() {
        assertThat(RunningService.shared().context().getBeanDefinitionNames()).noneSatisfy(name -> assertThat(name)
                .containsIgnoringCase("otel"));
        assertThat(RunningService.shared().context().getBean(Spans.class)).isSameAs(Spans.NONE);
        assertThat(service.context().getBean(Spans.class)).isNotSameAs(Spans.NONE);
    }
}

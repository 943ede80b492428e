package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.SwitchedPort;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The log of a process as JSON: whatever is said about a call names it, on whichever thread. */
@Execution(ExecutionMode.CONCURRENT)
class LogLinesIT {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    private final JsonMapper json = new JsonMapper();

    /** Of lines that another process has written so far; the last may not be whole yet. */
    private List<JsonNode> lines(ServiceProcess service, String requestId) {
        String output = service.output();
        return output.substring(0, output.lastIndexOf('\n') + 1)
                .lines()
                .map(json::readTree)
                .filter(line -> line.path("request_id").asString("").equals(requestId))
                .toList();
    }

    private static List<String> messages(List<JsonNode> lines) {
        return lines.stream().map(line -> line.path("message").asString("")).toList();
    }

    @Test
    void eachLineOfACallHasItsRequestIdAndItsTraceAlsoThoseOfBatches() throws InterruptedException {
        TestClickHouse server = TestClickHouse.shared();
        String schema = server.freshName();
        try (SwitchedPort way = new SwitchedPort(server.host(), server.port(), false);
                ServiceProcess service = ServiceProcess.start("clickhouse://%s:%s@127.0.0.1:%d/default%s".formatted(
                        server.user(), server.password(), way.port(), server.secure() ? "?secure=true" : ""), schema,
                        Map.of("LOGGING_STRUCTURED_FORMAT_CONSOLE", "ecs", "STATEHOUSE_CLICKHOUSE_TIMEOUT", "2s",
                                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/v1/traces",
                                "OTEL_TRACES_SAMPLER_ARG", "0"))) {
            ContractClient http = new ContractClient(service.base().toString());
            http.put("/states/a", "{\"completed_state\": {\"v\": 1}}", "X-Request-Id", "first", "traceparent",
                    "00-" + TRACE + "-00f067aa0ba902b7-01").expect(201);
            assertThat(lines(service, "first")).singleElement().satisfies(line -> {
                assertThat(line.path("log").path("logger").asString()).isEqualTo("statehouse.audit");
                assertThat(line.path("traceId").asString()).isEqualTo(TRACE);
                assertThat(line.path("ecs").path("version").isMissingNode()).isFalse();
            });
            way.cut();
            Answer refused = http.get("/states/a", "X-Request-Id", "second").expect(503, "clickhouse-unavailable");
            assertThat(refused.json().path("request_id").asString()).isEqualTo("second");
            assertThat(messages(lines(service, "second")))
                    .as("of the thread of the batch, and of that of the call")
                    .anySatisfy(line -> assertThat(line).startsWith("Reading states failed"))
                    .anySatisfy(line -> assertThat(line).startsWith("clickhouse-unavailable: "));
        } finally {
            server.dropDatabase(schema);
        }
    }
}

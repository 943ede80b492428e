package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.statehouse.testing.Answer;
import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RouteParity;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The pages beside the calls: the contract, Swagger UI, health, metrics. */
class ServicePagesIT {

    private final RunningService service = RunningService.shared();
    private final ContractClient http = service.client();

    @Test
    void theServiceAndTheContractHaveTheSameCalls() {
        var routes = service.context()
                .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                .getHandlerMethods();
        assertThat(new RouteParity().ignore("/actuator", "/swagger-ui", "/v3", "/error").differences(routes)).isEmpty();
        assertThat(routes.toString()).contains("StateController", "LockController").doesNotContain("OpenApiWebMvc");
    }

    @Test
    void theContractIsServedAsItLies() throws IOException {
        Answer answer = http.get("/openapi.yaml").expect(200);
        assertThat(answer.body()).isEqualTo(Files.readAllBytes(Path.of("openapi.yaml")));
        String tag = String.valueOf(answer.header("ETag"));
        http.get("/openapi.yaml", "If-None-Match", tag).expect(304);
        http.get("/openapi.yaml", "If-None-Match", "\"x\", W/" + tag).expect(304);
        http.get("/openapi.yaml", "If-None-Match", "\"x\"").expect(200);
        http.head("/openapi.yaml").expect(200);
        http.get("/openapi.yaml?x=1").expect(400, "unknown-parameter");
    }

    @Test
    void swaggerUiShowsTheContract() {
        Answer moved = http.get("/swagger-ui.html").expect(302);
        ContractClient browser = http.unchecked().with("Accept", "text/html");
        assertThat(http.get("/").expect(302).header("Location")).isEqualTo("/swagger-ui.html");
        browser.get("/").expect(302);
        assertThat(browser.get("/swagger-ui.html").expect(302).header("Location")).isEqualTo(moved.header("Location"));
        Answer page = browser.get(String.valueOf(moved.header("Location"))).expect(200);
        assertThat(page.header("Content-Type")).startsWith("text/html");
        assertThat(browser.get("/swagger-ui/swagger-initializer.js").expect(200).text()).contains("/openapi.yaml");
        browser.get("/swagger-ui/swagger-ui-bundle.js").expect(200);
    }

    @Test
    void healthAndMetrics() {
        assertThat(http.get("/actuator/health/liveness").expect(200).json().path("status").asString()).isEqualTo("UP");
        assertThat(http.get("/actuator/health/readiness").expect(200).json().path("status").asString()).isEqualTo("UP");
        http.get("/states");
        assertThat(http.get("/actuator/prometheus").expect(200).text()).contains("http_server_requests_seconds_count");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator", "/actuator/", "/actuator/env", "/actuator/beans", "/actuator/heapdump",
            "/actuator/shutdown", "/actuator/mappings", "/actuator/loggers", "/actuator/health/nothing",
            "/actuator/metrics", "/actuator/info", "/actuator/health/a/b",
            "/actuator/health/..%2Fx", "/%61ctuator/health/liveness/.."})
    void nothingElseIsShown(String target) {
        http.get(target).expect(404, "not-found");
        http.get(target, "Accept", "application/json").expect(404, "not-found");
        http.post(target, "{}").expect(target.endsWith("/health/nothing") ? 405 : 404);
    }

    @Test
    void whatActuatorRefusesIsAProblem() {
        http.send("DELETE", "/actuator/prometheus", null).expect(405, "method-not-allowed");
        http.get("/actuator/prometheus", "Accept", "image/png").expect(406, "not-acceptable");
        http.get("/actuator/health/readiness", "Accept", "text/html").expect(406, "not-acceptable");
    }
}

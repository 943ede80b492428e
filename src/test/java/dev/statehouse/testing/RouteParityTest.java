package dev.statehouse.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.StaticWebApplicationContext;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** A route too many, one too few, and one that reads something else are all told. */
class RouteParityTest {

    @RestController
    static class Right {

        @GetMapping(path = "/states/{id}")
        void get(@PathVariable String id, @RequestParam String view, @RequestHeader HttpHeaders headers) {}

        @DeleteMapping(path = "/states/{id}")
        void delete(@PathVariable String id, @RequestHeader(name = "If-Match") String a,
                @RequestHeader("If-None-Match") String b) {}
    }

    @RestController
    static class Wrong {

        @GetMapping("/states/{id}")
        void get(@PathVariable String id, @RequestParam("vue") String view, @RequestHeader HttpHeaders headers) {}

        @PostMapping(path = "/import", consumes = "text/plain")
        void take(@RequestParam String validate, @RequestParam("allow_empty") boolean empty,
                @RequestHeader("X-Thing") String thing) {}

        @GetMapping("/secret")
        void secret() {}
    }

    private static List<String> differences(RouteParity parity, Class<?> controller) {
        try (StaticWebApplicationContext context = new StaticWebApplicationContext()) {
            context.registerSingleton("controller", controller);
            RequestMappingHandlerMapping mapping = new RequestMappingHandlerMapping();
            mapping.setApplicationContext(context);
            mapping.afterPropertiesSet();
            return parity.differences(mapping.getHandlerMethods());
        }
    }

    @Test
    void routesThatAgreeAreNotTold() {
        assertThat(differences(new RouteParity(), Right.class)).noneMatch(line -> line.startsWith("GET /states/{}:"))
                .noneMatch(line -> line.startsWith("HEAD /states/{}:"));
        assertThat(
                differences(new RouteParity().argument(HttpHeaders.class, "If-None-Match", "Lock-Token"), Right.class))
                .noneMatch(line -> line.startsWith("GET /states/{}:"));
    }

    @Test
    void differencesAreToldBothWays() {
        assertThat(differences(new RouteParity().ignore("/locks", "/actuator/"), Wrong.class))
                .contains("GET /secret: served, but not in the contract",
                        "PUT /states/{}: in the contract, but not served",
                        "GET /states/{}: the service reads the query parameters [vue], the contract has [view]")
                .anyMatch(line -> line.startsWith("POST /import: the service reads the headers [x-thing]"))
                .anyMatch(line -> line.startsWith("POST /import: the service reads the types of the body [text/plain]"))
                .noneMatch(line -> line.contains("/locks"))
                .noneMatch(line -> line.contains("/actuator"));
    }

    @Test
    void headersThatAnArgumentBringsAreCompared() {
        assertThat(differences(new RouteParity().argument(HttpHeaders.class, "If-Match"), Right.class))
                .anyMatch(line -> line.startsWith("GET /states/{}: the service reads the headers [if-match]"));
    }
}

package bench;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts what is measured, on ports of their own. */
final class Services {

    private Services() {}

    static ConfigurableApplicationContext start(Class<?> type, Map<String, Object> settings) {
        SpringApplication application = new SpringApplication(type);
        application.setDefaultProperties(Map.of("logging.level.root", "warn",
                "management.endpoint.health.validate-group-membership", "false"));
        return application
                .run(with(with(settings, "server.port", "0"), "logging.level.statehouse.audit", "off").entrySet()
                        .stream()
                        .map(each -> "--" + each.getKey() + "=" + each.getValue())
                        .toArray(String[]::new));
    }

    static Map<String, Object> with(Map<String, Object> settings, String key, Object value) {
        Map<String, Object> more = new HashMap<>(settings);
        more.put(key, value);
        return more;
    }

    static String address(ConfigurableApplicationContext context) {
        return "http://127.0.0.1:" + Objects
                .requireNonNull(((ServletWebServerApplicationContext) context).getWebServer())
                .getPort();
    }
}

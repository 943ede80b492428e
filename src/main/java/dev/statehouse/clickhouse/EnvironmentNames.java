package dev.statehouse.clickhouse;

import static org.springframework.core.env.StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.DeferredLogFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;

/**
 * Reads the variables that the Meltano add-on for ClickHouse reads, so that one environment serves both. They rank
 * right behind variables by Spring's own names: before files, after arguments.
 */
final class EnvironmentNames implements EnvironmentPostProcessor {

    static final String SOURCE = "clickhouseEnvironmentNames";

    private static final List<String> PARTS = List.of("host", "port", "database", "user", "password", "secure",
            "schema", "table");

    private final Log log;

    EnvironmentNames(DeferredLogFactory logs) {
        log = logs.getLog(EnvironmentNames.class);
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        Map<String, Object> found = new HashMap<>();
        for (String part : PARTS) {
            String value = variable(environment, "CLICKHOUSE_" + part.toUpperCase(Locale.ROOT));
            // Kubernetes sets CLICKHOUSE_PORT=tcp://… by itself where a service is called "clickhouse".
            if (value != null && !value.startsWith("tcp://")) {
                found.put("statehouse.clickhouse." + part, value);
            }
        }
        String uri = uri(environment);
        if (uri != null) {
            found.put("statehouse.clickhouse.uri", uri);
        }
        MutablePropertySources sources = environment.getPropertySources();
        MapPropertySource source = new MapPropertySource(SOURCE, found);
        if (sources.contains(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
            sources.addAfter(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, source);
        } else {
            sources.addLast(source);
        }
    }

    private @Nullable String uri(ConfigurableEnvironment environment) {
        String own = variable(environment, "STATE_BACKEND_URI");
        if (own != null) {
            return own;
        }
        String meltano = variable(environment, "MELTANO_STATE_BACKEND_URI");
        if (meltano != null && !ClickHouseUri.scheme(meltano).equals("clickhouse")) {
            log.warn("MELTANO_STATE_BACKEND_URI is ignored: its scheme is '" + ClickHouseUri.scheme(meltano)
                    + "', not clickhouse.");
            return null;
        }
        return meltano;
    }

    private static @Nullable String variable(ConfigurableEnvironment environment, String name) {
        PropertySource<?> variables = environment.getPropertySources().get(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        Object value = variables == null ? null : variables.getProperty(name);
        return value == null || value.toString().isBlank() ? null : value.toString();
    }
}

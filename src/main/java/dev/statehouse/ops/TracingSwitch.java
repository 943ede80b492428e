package dev.statehouse.ops;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Leaves out what Spring Boot sets up for tracing, unless spans have somewhere to go: so neither a start nor a call pays for what
 * nobody sees.
 */
final class TracingSwitch implements AutoConfigurationImportFilter, EnvironmentAware {

    static final String ENDPOINT = "management.opentelemetry.tracing.export.otlp.endpoint";

    private @Nullable Environment environment;

    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public boolean[] match(@Nullable String[] names, AutoConfigurationMetadata metadata) {
        boolean on = environment != null && environment.getProperty(ENDPOINT, "").length() > 0;
        boolean[] wanted = new boolean[names.length];
        for (int i = 0; i < names.length; i++) {
            String name = names[i];
            wanted[i] = on || name == null
                    || !name.contains(".opentelemetry.") && !name.contains(".micrometer.tracing.");
        }
        return wanted;
    }
}

package dev.statehouse.ops;

import dev.statehouse.trace.Spans;
import io.opentelemetry.api.trace.Tracer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Spans of our own, where Spring Boot traces calls. */
@Configuration(proxyBeanMethods = false)
class Tracing {

    private static final Logger LOG = LoggerFactory.getLogger(Tracing.class);

    @Bean
    Spans spans(ObjectProvider<Tracer> tracer, Environment environment) {
        Tracer available = tracer.getIfAvailable();
        if (available == null) {
            return Spans.NONE;
        }
        LOG.info("Calls are traced, a part of {}; spans go to {}",
                environment.getProperty("management.tracing.sampling.probability"),
                environment.getProperty(TracingSwitch.ENDPOINT));
        return new Spans(available);
    }
}

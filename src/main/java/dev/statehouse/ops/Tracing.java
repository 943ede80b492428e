package dev.statehouse.ops;

import dev.statehouse.trace.Spans;
import io.opentelemetry.api.trace.Tracer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Spans of our own, where Spring Boot traces calls. */
@Configuration(proxyBeanMethods = false)
class Tracing {

    @Bean
    Spans spans(ObjectProvider<Tracer> tracer) {
        Tracer available = tracer.getIfAvailable();
        return available == null ? Spans.NONE : new Spans(available);
    }
}

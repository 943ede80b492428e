package dev.statehouse.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

import org.springdoc.core.configuration.SpringDocConfiguration;
import org.springdoc.core.properties.SpringDocConfigProperties;
import org.springdoc.core.providers.ObjectMapperProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the contract, {@code openapi.yaml}, as it was written; Swagger UI, to which {@code /} leads, shows this very page. */
@RestController
class ContractPage {

    private static final MediaType YAML = new MediaType("application", "yaml", StandardCharsets.UTF_8);

    private final byte[] contract;
    private final String tag;

    ContractPage() {
        try {
            contract = new ClassPathResource("openapi.yaml").getContentAsByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        CRC32C sum = new CRC32C();
        sum.update(contract);
        tag = "\"%08x\"".formatted(sum.getValue());
    }

    @GetMapping("/openapi.yaml")
    ResponseEntity<byte[]> contract() {
        return ResponseEntity.ok().contentType(YAML).cacheControl(CacheControl.noCache()).eTag(tag).body(contract);
    }

    /** Who opens the bare address in a browser wants to see something. */
    @GetMapping("/")
    ResponseEntity<Void> start() {
        return ResponseEntity.status(HttpStatus.FOUND).location(URI.create("/swagger-ui.html")).build();
    }

    /**
     * Swagger UI without the documents that springdoc would generate: {@code springdoc.api-docs.enabled=false} takes away
     * those, and with them the beans that the page itself waits for.
     */
    @Configuration(proxyBeanMethods = false)
    static class SwaggerUi {

        @Bean
        SpringDocConfiguration springDocConfiguration() {
            return new SpringDocConfiguration();
        }

        @Bean
        ObjectMapperProvider objectMapperProvider(SpringDocConfigProperties properties) {
            return new ObjectMapperProvider(properties);
        }

        @Bean
        SpringDocConfigProperties springDocConfigProperties() {
            return new SpringDocConfigProperties();
        }
    }
}

package dev.statehouse;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;

/** Starts the service. Without Spring Boot's own error pages, which are JSON of another kind, or HTML. */
@SpringBootApplication(proxyBeanMethods = false, exclude = ErrorMvcAutoConfiguration.class)
@ConfigurationPropertiesScan
public class StatehouseApplication {

    public static void main(String[] args) {
        SpringApplication.run(StatehouseApplication.class, args);
    }
}

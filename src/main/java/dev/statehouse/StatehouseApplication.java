package dev.statehouse;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Starts the service. */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
public class StatehouseApplication {

    public static void main(String[] args) {
        SpringApplication.run(StatehouseApplication.class, args);
    }
}

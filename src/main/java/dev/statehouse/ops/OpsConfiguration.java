package dev.statehouse.ops;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/** What has to run before any other bean is made. */
@Configuration(proxyBeanMethods = false)
class OpsConfiguration {

    @Bean
    static UnknownSettings unknownSettings(ConfigurableEnvironment environment) {
        return new UnknownSettings(environment);
    }
}

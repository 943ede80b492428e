package dev.statehouse.auth;

import java.time.InstantSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationManager;

/** Puts authentication together. */
@Configuration(proxyBeanMethods = false)
class AuthConfiguration {

    @Bean
    Protection protection(AuthProperties properties) {
        return properties.protection();
    }

    /** Where no tokens are taken, it takes none; nobody asks it then. */
    @Bean
    AuthenticationManager bearerTokens(AuthProperties properties) {
        InstantSource clock = InstantSource.system();
        return new BearerTokens(properties.takesTokens() ? new TokenFiles(properties.tokens(), clock) : null,
                properties.takesJwts() ? new Jwts(properties.jwt(), IssuerKeys.of(properties.jwt())) : null, clock);
    }
}

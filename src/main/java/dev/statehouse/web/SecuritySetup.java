package dev.statehouse.web;

import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;

import dev.statehouse.auth.Protection;
import dev.statehouse.auth.Role;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.SecurityFilterChain;

/**
 * What Spring Security does here: it finds out who calls, keeps the pages of operators to them, and writes headers. What a
 * caller may do with which id is checked nearer to the call, by {@link NeedsInterceptor}.
 */
@Configuration(proxyBeanMethods = false)
class SecuritySetup {

    /** Open to everybody: they show nothing of any state. */
    private static final String[] PUBLIC = {"/", "/openapi.yaml", "/swagger-ui.html", "/swagger-ui/**",
            "/v3/api-docs/swagger-config", "/actuator/health", "/actuator/health/**"};

    @Bean
    SecurityFilterChain security(HttpSecurity http, Protection protection, AuthenticationManager tokens) {
        http.sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .csrf(AbstractHttpConfigurer::disable)
                .cors(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .formLogin(AbstractHttpConfigurer::disable)
                .httpBasic(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .servletApi(AbstractHttpConfigurer::disable)
                .headers(headers -> headers.defaultsDisabled().addHeaderWriter(new PageHeaders()));
        if (protection != Protection.REQUIRED) {
            return http.authorizeHttpRequests(calls -> calls.anyRequest().permitAll()).build();
        }
        ProblemEntryPoint refusals = new ProblemEntryPoint();
        return http.authenticationManager(tokens)
                .oauth2ResourceServer(server -> server.authenticationManagerResolver(request -> tokens)
                        .authenticationEntryPoint(refusals)
                        .accessDeniedHandler(refusals))
                .exceptionHandling(failures -> failures.authenticationEntryPoint(refusals)
                        .accessDeniedHandler(refusals))
                .authorizeHttpRequests(calls -> {
                    for (String page : PUBLIC) {
                        calls.requestMatchers(pathPattern(page)).permitAll();
                    }
                    calls.requestMatchers(pathPattern("/actuator"), pathPattern("/actuator/**"))
                            .hasRole(Role.OPERATOR.name());
                    calls.anyRequest().authenticated();
                })
                .build();
    }

    /** Nobody looks at them, and they cost at every call. */
    @Bean
    SecurityObservationSettings securityObservations() {
        return SecurityObservationSettings.noObservations();
    }
}

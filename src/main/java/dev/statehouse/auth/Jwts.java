package dev.statehouse.auth;

import java.time.Instant;
import java.util.List;
import java.util.Set;

import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import dev.statehouse.problem.ProblemCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtTypeValidator;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/** JWTs of one issuer: signed by one of its keys, for us, and in their time. */
final class Jwts {

    private static final Logger LOG = LoggerFactory.getLogger(Jwts.class);
    private static final String EXPIRED = "expired";

    private final NimbusJwtDecoder decoder;
    private final JwtProperties properties;
    private final JwtGrants grants;

    Jwts(JwtProperties properties, JWKSource<SecurityContext> keys) {
        this.properties = properties;
        this.grants = new JwtGrants(properties);
        this.decoder = NimbusJwtDecoder.withJwkSource(keys)
                .jwsAlgorithms(algorithms -> algorithms.addAll(Set.of(SignatureAlgorithm.values())))
                .jwtProcessorCustomizer(processor -> processor.setJWSTypeVerifier((type, context) -> {}))
                .build();
        JwtTypeValidator type = new JwtTypeValidator("JWT", "at+jwt");
        type.setAllowEmpty(true);
        JwtTimestampValidator times = new JwtTimestampValidator(properties.clockSkew());
        times.setAllowEmptyExpiryClaim(false);
        times.setAllowEmptyNotBeforeClaim(true);
        // The end alone first: of all that may be wrong it is the one that its owner can do something about.
        decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(List.<OAuth2TokenValidator<Jwt>>of(type,
                new JwtIssuerValidator(String.valueOf(properties.issuer())), this::isForUs, this::isStillGood, times)));
    }

    private OAuth2TokenValidatorResult isForUs(Jwt jwt) {
        List<String> wanted = properties.audiences() == null ? List.of() : properties.audiences();
        List<String> given = jwt.getAudience() == null ? List.of() : jwt.getAudience();
        return given.stream().anyMatch(wanted::contains)
                ? OAuth2TokenValidatorResult.success()
                : OAuth2TokenValidatorResult.failure(new OAuth2Error("audience", "It is for somebody else.", null));
    }

    private OAuth2TokenValidatorResult isStillGood(Jwt jwt) {
        Instant end = jwt.getExpiresAt();
        return end == null || Instant.now().isBefore(end.plus(properties.clockSkew()))
                ? OAuth2TokenValidatorResult.success()
                : OAuth2TokenValidatorResult
                        .failure(new OAuth2Error(EXPIRED, "The token expired at " + end + ".", null));
    }

    /** @throws TokenRefused if it is not good, or cannot be checked now */
    Caller caller(String token) {
        try {
            return grants.caller(decoder.decode(token));
        } catch (JwtValidationException e) {
            throw refused(e);
        } catch (BadJwtException e) {
            throw invalid();
        } catch (JwtException e) {
            if (isAboutAnUnknownKey(e)) {
                throw invalid();
            }
            LOG.warn("The keys of the issuer {} cannot be had: {}", properties.issuer(), innermost(e).toString());
            throw new TokenRefused(ProblemCode.ISSUER_UNAVAILABLE,
                    "The keys of the issuer cannot be had now, so the token cannot be checked.");
        }
    }

    private static TokenRefused refused(JwtValidationException e) {
        List<OAuth2Error> errors = List.copyOf(e.getErrors());
        if (errors.stream().anyMatch(error -> error.getErrorCode().equals(EXPIRED))
                && errors.stream()
                        .allMatch(error -> error.getErrorCode().equals(EXPIRED)
                                || String.valueOf(error.getDescription()).contains("expired"))) {
            return new TokenRefused(ProblemCode.TOKEN_EXPIRED, errors.stream()
                    .filter(error -> error.getErrorCode().equals(EXPIRED))
                    .map(error -> String.valueOf(error.getDescription()))
                    .findFirst()
                    .orElse("The token has expired."));
        }
        return invalid();
    }

    private static TokenRefused invalid() {
        return new TokenRefused(ProblemCode.INVALID_TOKEN,
                "This token is not of the issuer that is trusted here, not for this service, or not well-formed.");
    }

    /** Tokens under a key that nobody knows must not have the issuer asked all the time, so at times it is not asked. */
    private static boolean isAboutAnUnknownKey(Throwable failure) {
        return innermost(failure) instanceof RateLimitReachedException;
    }

    private static Throwable innermost(Throwable failure) {
        Throwable at = failure;
        while (at.getCause() != null) {
            at = at.getCause();
        }
        return at;
    }
}

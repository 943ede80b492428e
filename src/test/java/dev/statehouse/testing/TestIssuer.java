package dev.statehouse.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;

/** Issues JWTs as an OIDC provider does. */
public final class TestIssuer {

    public static final String NAME = "https://issuer.test/realms/one";
    public static final String AUDIENCE = "statehouse";

    private final RSAKey key;

    public TestIssuer() {
        try {
            key = new RSAKeyGenerator(2048).keyID(UUID.randomUUID().toString()).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its public keys, as a JWKS document. */
    public String jwks() {
        return new JWKSet(key.toPublicJWK()).toString();
    }

    /** Its key, the private half too. */
    public RSAKey key() {
        return key;
    }

    /** Claims of a good token: five minutes for us. */
    public static JWTClaimsSet.Builder claims(String subject) {
        return new JWTClaimsSet.Builder().issuer(NAME)
                .audience(List.of("other", AUDIENCE))
                .subject(subject)
                .jwtID("id-of-" + subject)
                .issueTime(Date.from(Instant.now().minus(Duration.ofMinutes(10))))
                .expirationTime(Date.from(Instant.now().plus(Duration.ofMinutes(5))));
    }

    /** A good token with these claims besides. */
    public String token(String subject, Map<String, Object> more) {
        JWTClaimsSet.Builder claims = claims(subject);
        more.forEach(claims::claim);
        return sign(claims);
    }

    public String sign(JWTClaimsSet.Builder claims) {
        return sign(claims, JOSEObjectType.JWT);
    }

    public String sign(JWTClaimsSet.Builder claims, JOSEObjectType type) {
        try {
            SignedJWT jwt = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).type(type).build(),
                    claims.build());
            jwt.sign(new RSASSASigner(key));
            return jwt.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }
}

package dev.statehouse.auth;

import java.time.InstantSource;

import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthenticationToken;

/**
 * Finds out who a bearer token is: one of the files', or else a JWT. Which of the two knows a token is not told to
 * those whose token neither does.
 */
final class BearerTokens implements AuthenticationManager {

    private final @Nullable TokenFiles files;
    private final @Nullable Jwts jwts;
    private final InstantSource clock;

    /**
     * @param files null if they are not taken
     * @param jwts null if they are not taken
     */
    BearerTokens(@Nullable TokenFiles files, @Nullable Jwts jwts, InstantSource clock) {
        this.files = files;
        this.jwts = jwts;
        this.clock = clock;
    }

    /** @throws TokenRefused if it is nobody's */
    @Override
    public Authentication authenticate(Authentication given) {
        if (!(given instanceof BearerTokenAuthenticationToken bearer)) {
            throw new IllegalArgumentException("Only bearer tokens are asked about.");
        }
        String token = bearer.getToken();
        TokenFile.Entry entry = files == null ? null : files.find(token);
        if (entry != null) {
            if (entry.expires() != null && !clock.instant().isBefore(entry.expires())) {
                throw new TokenRefused(ProblemCode.TOKEN_EXPIRED, "The token '" + entry.caller().token()
                        + "' expired at " + entry.expires() + ".");
            }
            return new CallerAuthentication(entry.caller());
        }
        if (jwts != null && token.chars().filter(c -> c == '.').count() == 2) {
            return new CallerAuthentication(jwts.caller(token));
        }
        throw new TokenRefused(ProblemCode.INVALID_TOKEN, "This token is not known here.");
    }
}

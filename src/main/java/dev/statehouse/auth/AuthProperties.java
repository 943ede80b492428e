package dev.statehouse.auth;

import dev.statehouse.problem.SettingException;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How callers say who they are.
 *
 * @param mode what is taken; null for whatever is configured below, and for nothing where nothing is
 */
@ConfigurationProperties("statehouse.auth")
record AuthProperties(@Nullable Set<Mode> mode, @DefaultValue TokenProperties tokens,
        @DefaultValue JwtProperties jwt) {

    /** What is taken for a proof of who calls. */
    enum Mode {
        NONE, TOKENS, JWT
    }

    AuthProperties {
        mode = mode == null || mode.isEmpty() ? null : EnumSet.copyOf(mode);
        if (mode != null && mode.contains(Mode.NONE) && (mode.size() > 1 || tokens.given() || jwt.given())) {
            throw new SettingException(
                    "statehouse.auth.mode says none, and yet tokens or an issuer are configured.",
                    "Leave statehouse.auth.mode out to ask for them, or take the other statehouse.auth settings away.");
        }
        if (mode != null && mode.contains(Mode.TOKENS) && !tokens.given()) {
            throw new SettingException("statehouse.auth.mode says tokens, and no file of tokens is named.",
                    "Name it in statehouse.auth.tokens.files.");
        }
        if (mode != null && mode.contains(Mode.JWT) && !jwt.given()) {
            throw new SettingException("statehouse.auth.mode says jwt, and no issuer is named.",
                    "Name it in statehouse.auth.jwt.issuer, and whom its tokens are for in statehouse.auth.jwt.audiences.");
        }
    }

    boolean takesTokens() {
        return mode == null ? tokens.given() : mode.contains(Mode.TOKENS);
    }

    boolean takesJwts() {
        return mode == null ? jwt.given() : mode.contains(Mode.JWT);
    }

    Protection protection() {
        if (takesTokens() || takesJwts()) {
            return Protection.REQUIRED;
        }
        return mode == null ? Protection.UNSAID : Protection.NONE;
    }
}

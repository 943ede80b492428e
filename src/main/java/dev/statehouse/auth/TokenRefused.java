package dev.statehouse.auth;

import dev.statehouse.problem.ProblemCode;
import org.springframework.security.core.AuthenticationException;

/** A token does not say who calls, or cannot be checked now. */
public final class TokenRefused extends AuthenticationException {

    private final ProblemCode code;

    /** @param detail for the caller; nothing of the token */
    TokenRefused(ProblemCode code, String detail) {
        super(detail);
        this.code = code;
    }

    public ProblemCode code() {
        return code;
    }

    /** What the caller is told. */
    public String detail() {
        return String.valueOf(getMessage());
    }
}

package dev.statehouse.auth;

import java.util.Arrays;

import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** What Spring Security knows of a caller: an authority {@code ROLE_…} for each role that it has for any id. */
final class CallerAuthentication extends AbstractAuthenticationToken {

    private final transient Caller caller;

    CallerAuthentication(Caller caller) {
        super(Arrays.stream(Role.values())
                .filter(caller::has)
                .map(role -> new SimpleGrantedAuthority("ROLE_" + role.name()))
                .toList());
        this.caller = caller;
        setAuthenticated(true);
    }

    @Override
    public Caller getPrincipal() {
        return caller;
    }

    /** The token is not kept. */
    @Override
    public String getCredentials() {
        return "";
    }

    @Override
    public String getName() {
        return caller.subject();
    }
}

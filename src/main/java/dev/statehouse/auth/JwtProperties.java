package dev.statehouse.auth;

import dev.statehouse.problem.SettingException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * JWTs of an OIDC issuer or of a Kubernetes cluster.
 *
 * @param issuer who signs: the claim {@code iss}, exactly; null for none
 * @param audiences one of these must be in the claim {@code aud}
 * @param jwksUri where the issuer's keys are; null to ask its discovery document
 * @param jwksFile a file with the issuer's keys, which is all that is asked then; null for none
 * @param caFile certificates (PEM) that are trusted when the keys are fetched; null for those of the JVM
 * @param bearerFile a token to fetch the keys with, as the API server of Kubernetes asks for; null for none
 * @param keysFor how long fetched keys are good for before they are fetched again
 * @param clockSkew by how much clocks may differ
 * @param subjectClaim who the caller is
 * @param grantsClaim where a token itself may say what its bearer may do: an object of patterns by role
 * @param rules what the claims of a token give
 */
record JwtProperties(@Nullable String issuer, @Nullable List<String> audiences, @Nullable URI jwksUri,
        @Nullable Path jwksFile, @Nullable Path caFile, @Nullable Path bearerFile,
        @DefaultValue("5m") Duration keysFor, @DefaultValue("30s") Duration clockSkew,
        @DefaultValue("sub") String subjectClaim, @DefaultValue("statehouse") String grantsClaim,
        @Nullable List<Rule> rules) {

    /**
     * Who has a role for which ids.
     *
     * @param claim the claim to look at, such as {@code groups}; dots lead into objects
     * @param value a pattern that it, or one of its entries, must match
     * @param ids patterns; <code>{claim}</code> stands for the text of a claim
     */
    record Rule(@DefaultValue("sub") String claim, @DefaultValue("*") String value, @Nullable Role role,
            @Nullable List<String> ids) {

        Rule {
            if (role == null || ids == null) {
                throw new SettingException("A rule of statehouse.auth.jwt.rules has no role, or no ids.",
                        "Give it a role (reader, writer or operator) and ids such as dev:*; an empty list is no id.");
            }
        }
    }

    JwtProperties {
        audiences = audiences == null ? List.of() : List.copyOf(audiences);
        rules = rules == null ? List.of() : List.copyOf(rules);
        if (issuer != null && !issuer.isEmpty() && audiences.isEmpty()) {
            throw new SettingException(
                    "statehouse.auth.jwt.issuer is set, and statehouse.auth.jwt.audiences is not.",
                    "Name whom the tokens are for, such as statehouse: else any token of that issuer would do.");
        }
        if (keysFor.toSeconds() < 60 || clockSkew.isNegative() || clockSkew.toMinutes() > 10) {
            throw new SettingException(
                    "statehouse.auth.jwt.keys-for is less than 1m, or statehouse.auth.jwt.clock-skew is over 10m.",
                    "Leave them at 5m and 30s.");
        }
    }

    boolean given() {
        return issuer != null && !issuer.isEmpty();
    }
}

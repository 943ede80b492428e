package dev.statehouse.auth;

import dev.statehouse.problem.SettingException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.jwt.Jwt;

/** What the claims of a token say of its bearer: who it is, and by the rules of the configuration, what it may do. */
final class JwtGrants {

    private static final Pattern PLACE = Pattern.compile("\\{([^{}]+)}");

    private final JwtProperties properties;
    private final List<Rule> rules;

    /** One of the configuration, read once. */
    private record Rule(String claim, Glob value, Role role, List<String> ids) {

        static Rule of(JwtProperties.Rule rule) {
            List<String> ids = Objects.requireNonNull(rule.ids());
            ids.forEach(Glob::new);
            return new Rule(rule.claim(), new Glob(rule.value()), Objects.requireNonNull(rule.role()), ids);
        }
    }

    JwtGrants(JwtProperties properties) {
        this.properties = properties;
        List<JwtProperties.Rule> configured = properties.rules();
        this.rules = configured == null ? List.of() : configured.stream().map(JwtGrants::read).toList();
    }

    private static Rule read(JwtProperties.Rule rule) {
        try {
            return Rule.of(rule);
        } catch (IllegalArgumentException e) {
            throw new SettingException("A pattern of statehouse.auth.jwt.rules is none: " + e.getMessage(),
                    "Correct it.");
        }
    }

    /** @throws TokenRefused if it does not say who it is, or what it says of its rights cannot be read */
    Caller caller(Jwt jwt) {
        Map<String, Object> claims = jwt.getClaims();
        List<String> subject = texts(claim(claims, properties.subjectClaim()));
        if (subject.size() != 1 || subject.getFirst().isBlank()) {
            throw new TokenRefused(ProblemCode.INVALID_TOKEN,
                    "The token does not say who it is, in the claim " + properties.subjectClaim() + ".");
        }
        List<Grant> grants = new ArrayList<>();
        if (claim(claims, properties.grantsClaim()) instanceof Map<?, ?> own) {
            try {
                grants.addAll(Grants.of(own, "claim " + properties.grantsClaim()));
            } catch (IllegalArgumentException e) {
                throw new TokenRefused(ProblemCode.INVALID_TOKEN, String.valueOf(e.getMessage()));
            }
        }
        rules.stream().filter(rule -> applies(rule, claims)).forEach(rule -> grants.add(grant(rule, claims)));
        return new Caller(subject.getFirst(), jwt.getId() == null ? "jwt" : jwt.getId(), grants);
    }

    private static boolean applies(Rule rule, Map<String, Object> claims) {
        return texts(claim(claims, rule.claim())).stream().anyMatch(text -> matches(rule.value(), text));
    }

    /** Whatever cannot be the text of an id matches no pattern either. */
    private static boolean matches(Glob glob, String text) {
        try {
            return glob.matches(new StateId(text));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static Grant grant(Rule rule, Map<String, Object> claims) {
        List<Glob> ids = rule.ids()
                .stream()
                .map(pattern -> filled(pattern, claims))
                .filter(Objects::nonNull)
                .toList();
        return new Grant(rule.role(), ids);
    }

    /** @return null if a claim is missing, or makes no pattern of it */
    private static @Nullable Glob filled(String pattern, Map<String, Object> claims) {
        Matcher places = PLACE.matcher(pattern);
        StringBuilder filled = new StringBuilder();
        while (places.find()) {
            List<String> texts = texts(claim(claims, places.group(1)));
            if (texts.size() != 1 || texts.getFirst().isEmpty()) {
                return null;
            }
            String plain = texts.getFirst().replaceAll("[*?\\[]", "[$0]");
            places.appendReplacement(filled, Matcher.quoteReplacement(plain));
        }
        try {
            return new Glob(places.appendTail(filled).toString());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** A claim by its name, or by names with dots between them that lead into objects; null if there is none. */
    private static @Nullable Object claim(Map<?, ?> claims, String name) {
        if (claims.containsKey(name)) {
            return claims.get(name);
        }
        for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
            if (claims.get(name.substring(0, dot)) instanceof Map<?, ?> inner) {
                Object found = claim(inner, name.substring(dot + 1));
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** A text alone, or the texts of a list. */
    private static List<String> texts(@Nullable Object claim) {
        return switch (claim) {
            case String text -> List.of(text);
            case Collection<?> many -> many.stream().filter(String.class::isInstance).map(String.class::cast).toList();
            case null, default -> List.of();
        };
    }
}

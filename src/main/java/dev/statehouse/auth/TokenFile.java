package dev.statehouse.auth;

import dev.statehouse.id.Sha256;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * A file of tokens, in YAML:
 *
 * <pre>
 * tokens:
 *   - name: nightly                 # stands in the audit log; once in all files
 *     sha256: 5e884898da28…         # of the token, in hex; or token: the token itself
 *     subject: pipelines            # who it is; its name if left out
 *     expires: 2027-06-30T00:00:00Z # left out: never
 *     reader: ["*"]                 # patterns of ids by role; at least one role
 *     writer: ["dev:*", "test:*"]
 * </pre>
 *
 * What is wrong is told by line or by name, never with the text of the file: that holds secrets.
 */
final class TokenFile {

    private static final Set<String> KEYS = Set.of("name", "sha256", "token", "subject", "expires", "reader", "writer",
            "operator");
    private static final int SHORTEST = 20;

    private TokenFile() {}

    /**
     * One token.
     *
     * @param hash its SHA-256 in hex
     * @param expires when its time is over; null for never
     */
    record Entry(String hash, Caller caller, @Nullable Instant expires) {}

    /**
     * @throws IllegalArgumentException if it is no such file; the message says where, for the operator
     */
    static List<Entry> parse(String yaml) {
        Map<?, ?> root = map(load(yaml), "The file");
        if (!root.keySet().equals(Set.of("tokens")) || !(root.get("tokens") instanceof List<?> list)) {
            throw new IllegalArgumentException("The file is not an object with one list, 'tokens'.");
        }
        List<Entry> entries = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Object item : list) {
            Entry entry = entry(map(item, "Entry " + (entries.size() + 1)), "Entry " + (entries.size() + 1));
            if (!names.add(entry.caller().token())) {
                throw new IllegalArgumentException("The name '" + entry.caller().token() + "' is there twice.");
            }
            entries.add(entry);
        }
        return entries;
    }

    /** Every scalar is text: a hash of digits alone must not become a number. */
    private static @Nullable Object load(String yaml) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        DumperOptions dumper = new DumperOptions();
        Resolver plain = new Resolver() {

            @Override
            protected void addImplicitResolvers() {
                // none
            }
        };
        try {
            return new Yaml(new SafeConstructor(options), new Representer(dumper), dumper, options, plain).load(yaml);
        } catch (MarkedYAMLException e) {
            throw new IllegalArgumentException("It is no YAML" + (e.getProblemMark() == null
                    ? "."
                    : " from line " + (e.getProblemMark().getLine() + 1) + " on."));
        } catch (YAMLException e) {
            throw new IllegalArgumentException("It is no YAML.");
        }
    }

    private static Entry entry(Map<?, ?> fields, String at) {
        String name = text(fields, "name", at);
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException(at + " has no name.");
        }
        fields.keySet().stream().filter(key -> !KEYS.contains(key)).findFirst().ifPresent(key -> {
            throw new IllegalArgumentException("'" + name + "' has a field that is none of " + KEYS.stream()
                    .sorted()
                    .toList() + ".");
        });
        List<Grant> grants = Grants.of(fields, "'" + name + "'");
        if (grants.isEmpty()) {
            throw new IllegalArgumentException("'" + name + "' has no role: reader, writer or operator.");
        }
        String subject = text(fields, "subject", at);
        return new Entry(hash(fields, name), new Caller(subject == null ? name : subject, name, grants),
                expires(text(fields, "expires", at), name));
    }

    private static String hash(Map<?, ?> fields, String name) {
        String hash = text(fields, "sha256", name);
        String token = text(fields, "token", name);
        if ((hash == null) == (token == null)) {
            throw new IllegalArgumentException("'" + name + "' needs one of sha256 and token.");
        }
        if (hash != null) {
            if (!hash.matches("[0-9a-fA-F]{64}")) {
                throw new IllegalArgumentException("The sha256 of '" + name + "' is not 64 hex digits.");
            }
            return hash.toLowerCase(Locale.ROOT);
        }
        if (token == null || token.length() < SHORTEST || !token.matches("[A-Za-z0-9._~+/-]+=*")) {
            throw new IllegalArgumentException("The token of '" + name + "' is shorter than " + SHORTEST
                    + " characters, or holds others than A-Z a-z 0-9 . _ ~ + / -.");
        }
        return Sha256.hex(token.getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable Instant expires(@Nullable String text, String name) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "The expires of '" + name + "' is no instant such as 2027-06-30T00:00:00Z.", e);
        }
    }

    private static @Nullable String text(Map<?, ?> fields, String key, String at) {
        Object value = fields.get(key);
        if (value != null && !(value instanceof String)) {
            throw new IllegalArgumentException("The " + key + " of " + at + " is not a text.");
        }
        return (String) value;
    }

    private static Map<?, ?> map(@Nullable Object value, String at) {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new IllegalArgumentException(at + " is not an object.");
    }
}

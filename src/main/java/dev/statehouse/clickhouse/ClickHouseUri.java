package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The parts of {@code clickhouse://user:password@host:port/database?secure=true}, percent-decoded; null where the URI
 * has none. No message here quotes the URI: it holds a password.
 */
record ClickHouseUri(@Nullable String host, @Nullable String port, @Nullable String database, @Nullable String user,
        @Nullable String password, @Nullable String secure, @Nullable String schema, @Nullable String table) {

    static final ClickHouseUri NONE = new ClickHouseUri(null, null, null, null, null, null, null, null);

    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://");

    private static final Pattern PATH_OR_QUERY = Pattern.compile("[/?]");

    private static final String SHAPE = "Write it as clickhouse://user:password@host:8123/database; '@', ':', '/', '?',"
            + " '#' and '%' inside a part are percent-encoded.";

    /** The scheme in lower case; empty if the text has none. */
    static String scheme(String uri) {
        Matcher matcher = SCHEME.matcher(uri.strip());
        return matcher.lookingAt() ? matcher.group(1).toLowerCase(Locale.ROOT) : "";
    }

    /** @throws SettingException if this is no URI of ClickHouse */
    static ClickHouseUri parse(String uri) {
        String scheme = scheme(uri);
        if (!scheme.equals("clickhouse")) {
            throw bad(scheme.isEmpty()
                    ? "does not begin with clickhouse://"
                    : "has the scheme '" + scheme + "', not clickhouse");
        }
        String rest = uri.strip().substring("clickhouse://".length());
        if (rest.indexOf('#') >= 0) {
            throw bad("holds a '#'");
        }
        String behindHost = rest.substring(endOfAuthority(rest));
        if (behindHost.indexOf('@') >= 0) {
            // A password with a bare '/' or '?' would else pass for a database or a parameter, and be shown as such.
            throw bad("has an '@' behind its first '/' or '?'");
        }
        int query = rest.indexOf('?');
        String parameters = query < 0 ? "" : rest.substring(query + 1);
        rest = query < 0 ? rest : rest.substring(0, query);
        int path = rest.indexOf('/');
        String database = path < 0 ? "" : rest.substring(path + 1);
        String authority = path < 0 ? rest : rest.substring(0, path);
        if (database.endsWith("/")) {
            database = database.substring(0, database.length() - 1);
        }
        if (database.indexOf('/') >= 0) {
            throw bad("has a path of several segments where one database is meant");
        }
        int at = authority.lastIndexOf('@');
        String login = at < 0 ? "" : authority.substring(0, at);
        String address = authority.substring(at + 1);
        int colon = login.indexOf(':');
        int portColon = address.indexOf(':', address.lastIndexOf(']') + 1);
        if (address.startsWith("[") != address.contains("]")) {
            throw bad("has brackets around its host that do not match");
        }
        return new ClickHouseUri(decode("host", portColon < 0 ? address : address.substring(0, portColon)),
                decode("port", portColon < 0 ? "" : address.substring(portColon + 1)), decode("database", database),
                decode("user", colon < 0 ? login : login.substring(0, colon)),
                decode("password", colon < 0 ? "" : login.substring(colon + 1)), parameter(parameters, "secure"),
                parameter(parameters, "schema"), parameter(parameters, "table"));
    }

    private static int endOfAuthority(String rest) {
        Matcher end = PATH_OR_QUERY.matcher(rest);
        return end.find() ? end.start() : rest.length();
    }

    private static @Nullable String parameter(String parameters, String wanted) {
        String found = null;
        for (String pair : parameters.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            switch (name) {
                case "", "secure", "schema", "table" -> {
                    if (name.equals(wanted)) {
                        found = decode(name, equals < 0 ? "" : pair.substring(equals + 1));
                    }
                }
                // Whether a driver's option that is not known here would matter cannot be told, so none is passed over.
                default -> throw bad("has the parameter '" + name + "'; known are secure, schema and table");
            }
        }
        return found;
    }

    /** Decodes percent escapes alone: a plus stays a plus, as in a URI it is one. */
    private static @Nullable String decode(String part, String text) {
        if (text.isEmpty()) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] raw = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < raw.length; i++) {
            if (raw[i] != '%') {
                bytes.write(raw[i]);
                continue;
            }
            int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
            int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
            if (high < 0 || low < 0) {
                throw bad("has a '%' in its " + part + " that begins no percent escape");
            }
            bytes.write(high * 16 + low);
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException e) {
            throw bad("has percent escapes in its " + part + " that are not UTF-8");
        }
    }

    private static SettingException bad(String what) {
        return new SettingException(
                "The URI of ClickHouse (statehouse.clickhouse.uri, STATE_BACKEND_URI) " + what + ".", SHAPE);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "ClickHouseUri[host=" + host + ", port=" + port + ", database=" + database + "]";
    }
}

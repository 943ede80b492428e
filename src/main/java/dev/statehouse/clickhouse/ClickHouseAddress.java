package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import java.util.Locale;
import java.util.regex.Pattern;

import dev.statehouse.embedded.EngineAddress;
import org.jspecify.annotations.Nullable;

/**
 * How to reach one ClickHouse over HTTP.
 *
 * @param host a name or an address; of IPv6 without brackets
 * @param database what the connection opens; the tables may be elsewhere
 * @param secure whether to speak TLS
 */
record ClickHouseAddress(String host, int port, String database, String user, String password, boolean secure) {

    private static final String KEY = "statehouse.clickhouse.";
    private static final Pattern HOST = Pattern.compile("[^\\s/?#@\\[\\]\\p{Cc}:]+|[0-9A-Fa-f:.]+(%[\\w.-]+)?");

    /**
     * Puts the parts of the URI and the settings that override them together.
     *
     * @throws SettingException if a part is missing or wrong
     */
    static ClickHouseAddress of(ClickHouseProperties properties) {
        ClickHouseUri uri = properties.uri() == null ? ClickHouseUri.NONE : ClickHouseUri.parse(properties.uri());
        boolean secure = flag(first(properties.secure(), uri.secure()));
        String database = required("database", first(properties.database(), uri.database()));
        return new ClickHouseAddress(host(first(properties.host(), uri.host())),
                port(first(properties.port(), uri.port()), secure), Names.checked(KEY + "database", database),
                required("user", first(properties.user(), uri.user())),
                or(first(properties.password(), uri.password()), ""), secure);
    }

    static ClickHouseAddress of(EngineAddress engine) {
        return new ClickHouseAddress(engine.host(), engine.port(), "default", engine.user(), engine.password(), false);
    }

    /** The URL for the driver. It holds no secret; user, password and database are given to the driver beside it. */
    String jdbcUrl() {
        return "jdbc:clickhouse://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    private static @Nullable String first(@Nullable String override, @Nullable String part) {
        return override != null ? override : part;
    }

    private static String or(@Nullable String value, String standard) {
        return value != null ? value : standard;
    }

    private static String required(String name, @Nullable String value) {
        if (value == null) {
            throw new SettingException(
                    "A ClickHouse is named, but no " + name + ": the setting " + KEY + name + " is missing.",
                    "Set " + variable(name) + ", or put the " + name + " into the URI"
                            + " (clickhouse://user:password@host:8123/database). For the embedded engine, name neither a"
                            + " URI nor a part of one.");
        }
        return value;
    }

    private static String host(@Nullable String value) {
        String host = or(value, "localhost");
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        if (!HOST.matcher(host).matches()) {
            throw new SettingException("The setting " + KEY + "host is not a host name or an IP address.",
                    "Set " + variable("host") + " to the bare name, and the port in " + variable("port") + ".");
        }
        return host;
    }

    private static int port(@Nullable String value, boolean secure) {
        if (value == null) {
            return secure ? 8443 : 8123;
        }
        try {
            int port = Integer.parseInt(value.strip());
            if (port >= 1 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException e) {
            // answered below: what stands there may be anything, so it is not quoted
        }
        throw new SettingException("The setting " + KEY + "port is not a number from 1 to 65535.",
                "Set " + variable("port") + " to the port of ClickHouse's HTTP interface, usually 8123, or 8443 with"
                        + " TLS.");
    }

    private static boolean flag(@Nullable String value) {
        return switch (or(value, "false").strip().toLowerCase(Locale.ROOT)) {
            case "true", "1", "yes", "on" -> true;
            case "false", "0", "no", "off" -> false;
            default -> throw new SettingException("The setting " + KEY + "secure is neither true nor false.",
                    "Set " + variable("secure") + " to true to speak TLS, or to false.");
        };
    }

    private static String variable(String name) {
        return "CLICKHOUSE_" + name.toUpperCase(Locale.ROOT);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return (secure ? "https://" : "http://") + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port
                + " as user '" + user + "', database '" + database + "'";
    }
}

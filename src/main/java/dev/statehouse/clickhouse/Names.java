package dev.statehouse.clickhouse;

import dev.statehouse.problem.SettingException;
import java.nio.charset.StandardCharsets;

/** Names of databases and tables: ClickHouse takes nearly any text between backticks, so nearly any is taken here. */
final class Names {

    /** What fits a file name of 255 bytes together with the endings that ClickHouse and this service add. */
    private static final int MAX_BYTES = 200;

    private Names() {}

    /**
     * @param setting named in the error
     * @throws SettingException if ClickHouse cannot have a database or table of this name
     */
    static String checked(String setting, String name) {
        if (name.isBlank()) {
            throw bad(setting, "is blank");
        }
        if (name.codePoints()
                .anyMatch(c -> Character.getType(c) == Character.CONTROL
                        || Character.getType(c) == Character.SURROGATE)) {
            throw bad(setting, "holds a control character");
        }
        if (bytesInFileName(name) > MAX_BYTES) {
            throw bad(setting, "is too long");
        }
        return name;
    }

    /** Between backticks, for a place in a statement where a parameter cannot stand. */
    static String quoted(String name) {
        return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`";
    }

    /** ClickHouse names files by its tables; each byte that is no letter, digit or underscore takes three there. */
    private static int bytesInFileName(String name) {
        int bytes = 0;
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            bytes += b == '_' || (b > 0 && Character.isLetterOrDigit(b)) ? 1 : 3;
        }
        return bytes;
    }

    private static SettingException bad(String setting, String what) {
        return new SettingException("The setting " + setting + " " + what + ": ClickHouse cannot use it as a name.",
                "Give a name of at most " + MAX_BYTES + " letters, digits and underscores; other characters count three"
                        + " for each byte of UTF-8.");
    }
}

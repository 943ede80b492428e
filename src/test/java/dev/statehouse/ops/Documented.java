package dev.statehouse.ops;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** What documents give to paste. */
final class Documented {

    private static final Pattern SQL = Pattern.compile("```sql\\n(.*?)```", Pattern.DOTALL);

    private Documented() {}

    /** The first group of each match, or the whole of it where there is none. */
    static List<String> found(Pattern pattern, String file) throws IOException {
        return pattern.matcher(Files.readString(Path.of(file)))
                .results()
                .map(result -> result.groupCount() == 0 ? result.group() : result.group(1))
                .toList();
    }

    /** The blocks of SQL of a page, about the tables of this schema. */
    static List<String> sql(String file, String schema) throws IOException {
        return found(SQL, file).stream()
                .map(sql -> sql.replace("meltano.", schema + ".").replace("'meltano'", "'" + schema + "'"))
                .toList();
    }
}

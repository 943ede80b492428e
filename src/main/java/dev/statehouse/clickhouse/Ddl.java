package dev.statehouse.clickhouse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** The statements that make tables, which lie in files of their own. */
final class Ddl {

    private Ddl() {}

    static String read(String file) {
        try {
            return new ClassPathResource("clickhouse/" + file).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String statement(String file, TableName table) {
        return read(file).replace("${table}", table.sql());
    }

    /**
     * Settings of a table with many small parts, each as {@code name = value}.
     *
     * @param file those of that table alone
     */
    static List<String> partSettings(String file) {
        return Stream.of("parts.settings", file)
                .flatMap(each -> read(each).lines())
                .filter(line -> line.contains(" = ") && !line.startsWith("#"))
                .toList();
    }

    /**
     * Makes a table with those of some more settings that the server takes. Which these are, only its refusal says: the
     * list of them takes a right that this user may not have.
     */
    static void create(JdbcTemplate jdbc, String file, TableName table, List<String> settings) {
        List<String> known = new ArrayList<>(settings);
        while (true) {
            try {
                jdbc.execute(statement(file, table).stripTrailing()
                        + String.join("", known.stream().map(setting -> ",\n    " + setting).toList()));
                return;
            } catch (DataAccessException e) {
                if (known.isEmpty() || !ErrorTranslator.refusesSetting(ErrorTranslator.code(e))) {
                    throw e;
                }
                String refusal = String.valueOf(e.getMostSpecificCause().getMessage());
                if (!known.removeIf(setting -> refusal.contains(name(setting)))) {
                    known.clear();
                }
            }
        }
    }

    private static String name(String setting) {
        return setting.substring(0, setting.indexOf(" = "));
    }
}

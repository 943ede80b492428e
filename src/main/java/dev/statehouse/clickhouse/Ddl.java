package dev.statehouse.clickhouse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.springframework.core.io.ClassPathResource;

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
}

package dev.statehouse.embedded;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the embedded engine; they matter only while no ClickHouse is named. Text and not paths, since Spring would
 * look for a relative path on the class path first.
 *
 * @param data
 *            folder of its data, made when missing; one service at a time
 * @param library
 *            the file of the ClickHouse library; null: looked for in {@code engine/node_modules}, below the working
 *            directory and around the place of the program
 */
@ConfigurationProperties("statehouse.embedded")
public record EmbeddedProperties(@DefaultValue("./data") String data, @Nullable String library) {

    /** Data in this folder, the library that the build installed. */
    public static EmbeddedProperties in(Path folder) {
        return new EmbeddedProperties(folder.toString(), null);
    }

    Path folder() {
        return Path.of(data);
    }

    @Nullable
    Path libraryFile() {
        return library == null || library.isBlank() ? null : Path.of(library);
    }
}

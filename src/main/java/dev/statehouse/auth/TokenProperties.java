package dev.statehouse.auth;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Bearer tokens from files.
 *
 * @param files YAML, as {@link TokenFile} reads it; null or empty for none
 * @param reload how old what is known of the files may be
 */
record TokenProperties(@Nullable List<Path> files, @DefaultValue("5s") Duration reload) {

    TokenProperties {
        files = files == null ? List.of() : List.copyOf(files);
    }

    List<Path> paths() {
        return files == null ? List.of() : files;
    }

    boolean given() {
        return !paths().isEmpty();
    }
}

package dev.statehouse.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class EmbeddedPropertiesTest {

    @Test
    void theDefaultIsAFolderBesideTheServiceAndTheInstalledLibrary() {
        assertThat(bind(Map.of())).isEqualTo(new EmbeddedProperties("./data", null));
    }

    @Test
    void bothCanBeNamed() {
        assertThat(bind(Map.of("statehouse.embedded.data", "/var/lib/statehouse", "statehouse.embedded.library",
                "/opt/libchdb.so")))
                .isEqualTo(new EmbeddedProperties("/var/lib/statehouse", "/opt/libchdb.so"));
    }

    @Test
    void aRelativeFolderIsNeverOneOfTheClassPath() {
        assertThat(bind(Map.of("statehouse.embedded.data", "dev")).folder()).isEqualTo(Path.of("dev"));
    }

    @Test
    void anEmptyLibraryIsNone() {
        assertThat(bind(Map.of("statehouse.embedded.library", "")).libraryFile()).isNull();
    }

    private static EmbeddedProperties bind(Map<String, String> settings) {
        return new Binder(new MapConfigurationPropertySource(settings)).bindOrCreate("statehouse.embedded",
                EmbeddedProperties.class);
    }
}

package dev.statehouse.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineLibraryTest {

    private static final String URI = "STATE_BACKEND_URI=clickhouse://user:password@host:8123/database";

    @TempDir
    Path root;

    @ParameterizedTest
    @CsvSource({"Linux, amd64, lib-linux-x64-gnu, libchdb.so", "Linux, aarch64, lib-linux-arm64-gnu, libchdb.so",
            "Mac OS X, aarch64, lib-darwin-arm64, libchdb.so", "Mac OS X, x86_64, lib-darwin-x64, libchdb.dylib"})
    void isFoundForEachPlatformInTheFirstRootThatHasIt(String os, String arch, String name, String file)
            throws IOException {
        Path folder = Files.createDirectories(root.resolve("engine/node_modules/@chdb").resolve(name));
        Path library = Files.createFile(folder.resolve(file));
        assertThat(EngineLibrary.find(os, arch, List.of(root.resolve("nowhere"), root))).isEqualTo(library);
    }

    @Test
    void missingSaysWhereItWasLookedForAndWhatToDo() {
        assertThatThrownBy(() -> EngineLibrary.find("Linux", "amd64", List.of(root)))
                .isInstanceOf(EngineUnavailable.class)
                .hasMessageContaining("lib-linux-x64-gnu")
                .hasMessageContaining(root.toString())
                .hasMessageContaining("npm ci")
                .hasMessageContaining(URI);
    }

    @Test
    void anotherPlatformSaysSo() {
        assertThatThrownBy(() -> EngineLibrary.find("Windows 11", "amd64", List.of(root)))
                .isInstanceOf(EngineUnavailable.class)
                .hasMessageContaining("Windows 11")
                .hasMessageContaining(URI);
    }

    @Test
    void aConfiguredFileThatIsMissingIsNamed() {
        assertThatThrownBy(() -> EngineLibrary.find(root.resolve("gone.so"))).isInstanceOf(EngineUnavailable.class)
                .hasMessageContaining("statehouse.embedded.library")
                .hasMessageContaining(root.resolve("gone.so").toString());
    }
}

package dev.statehouse.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.system.ApplicationHome;

/** Finds the ClickHouse library that the build installed for this platform. */
final class EngineLibrary {

    private static final Map<String, String> PACKAGES = Map.of("linux-amd64", "lib-linux-x64-gnu", "linux-aarch64",
            "lib-linux-arm64-gnu", "mac-aarch64", "lib-darwin-arm64", "mac-x86_64", "lib-darwin-x64");

    private EngineLibrary() {}

    /**
     * @throws EngineUnavailable
     *             if it is not there; the message says where it was looked for and how to get it
     */
    static Path find(@Nullable Path configured) {
        if (configured != null) {
            if (Files.isRegularFile(configured)) {
                return configured.toAbsolutePath();
            }
            throw new EngineUnavailable(
                    "statehouse.embedded.library names a file that is not there: " + configured.toAbsolutePath());
        }
        return find(System.getProperty("os.name"), System.getProperty("os.arch"), roots());
    }

    static Path find(String osName, String osArch, List<Path> roots) {
        String os = osName.toLowerCase(Locale.ROOT);
        String platform = (os.startsWith("mac") ? "mac" : os) + "-" + osArch.toLowerCase(Locale.ROOT);
        String name = PACKAGES.get(platform);
        if (name == null) {
            throw new EngineUnavailable("No ClickHouse is named, and there is no embedded engine for this platform ("
                    + osName + ", " + osArch + "). Name one: "
                    + EngineUnavailable.INSTEAD.substring("Or name a ClickHouse: ".length()));
        }
        for (Path root : roots) {
            for (String file : List.of("libchdb.so", "libchdb.dylib")) {
                Path found = root.resolve("engine/node_modules/@chdb").resolve(name).resolve(file);
                if (Files.isRegularFile(found)) {
                    return found;
                }
            }
        }
        throw new EngineUnavailable("No ClickHouse is named, and the library of the embedded engine is missing: "
                + "engine/node_modules/@chdb/" + name + " in none of " + roots
                + ". Install it with `npm ci` in the folder engine (the build does so where npm is there)"
                + ", or give its file as statehouse.embedded.library. " + EngineUnavailable.INSTEAD);
    }

    /** The working directory, then the folder of the program and two above it: target/classes and target/x.jar. */
    private static List<Path> roots() {
        Set<Path> roots = new LinkedHashSet<>();
        roots.add(Path.of("").toAbsolutePath());
        Path home = new ApplicationHome(EngineLibrary.class).getDir().toPath().toAbsolutePath();
        for (int up = 0; up < 3 && home != null; up++, home = home.getParent()) {
            roots.add(home);
        }
        return new ArrayList<>(roots);
    }
}

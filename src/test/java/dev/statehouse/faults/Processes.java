package dev.statehouse.faults;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Other processes that run this program. */
final class Processes {

    private Processes() {}

    /**
     * A JVM like this one, small, with none of this one's settings; its errors go where its output goes.
     *
     * @param tests whether it is to have all tests on its class path, or the program and the main class alone: what
     *            configures the tests is not for the program
     */
    static ProcessBuilder java(boolean tests, List<String> options, Class<?> mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(tests, mainClass), mainClass.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("STATE") || name.startsWith("CLICKHOUSE_")
                        || name.startsWith("MELTANO_") || name.startsWith("JAVA_TOOL_OPTIONS"));
        return builder;
    }

    private static String classPath(boolean tests, Class<?> mainClass) {
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return tests
                ? all
                : Arrays.stream(all.split(File.pathSeparator, -1))
                        .filter(entry -> !entry.contains("test-classes"))
                        .collect(Collectors.joining(File.pathSeparator, copyOut(mainClass) + File.pathSeparator, ""));
    }

    /** @return the folder of a class path that has this class alone */
    private static Path copyOut(Class<?> type) {
        String name = type.getName().replace('.', '/') + ".class";
        Path folder = Path.of("target", "faults", "classes");
        Path file = folder.resolve(name);
        try (InputStream content = Objects.requireNonNull(type.getResourceAsStream("/" + name))) {
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Path fresh = Files.createTempFile(folder, "class", null);
            Files.copy(content, fresh, StandardCopyOption.REPLACE_EXISTING);
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

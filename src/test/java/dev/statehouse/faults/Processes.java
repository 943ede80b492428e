package dev.statehouse.faults;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Other processes that run this program. */
final class Processes {

    private Processes() {}

    /**
     * A JVM like this one, small, with none of this one's settings; its errors go where its output goes.
     *
     * @param tests whether it is to have the tests on its class path, or the program alone
     */
    static ProcessBuilder java(boolean tests, List<String> options, String mainClass, List<String> arguments) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String entries = Arrays.stream(classPath.split(File.pathSeparator, -1))
                .filter(entry -> tests || !entry.contains("test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto"));
        command.addAll(options);
        command.addAll(List.of("-cp", entries, mainClass));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("STATE") || name.startsWith("CLICKHOUSE_")
                        || name.startsWith("MELTANO_") || name.startsWith("JAVA_TOOL_OPTIONS"));
        return builder;
    }

    static void signal(long pid, String name) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor();
            if (code != 0) {
                throw new AssertionError("kill -" + name + " ended with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}

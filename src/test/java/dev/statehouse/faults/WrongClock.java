package dev.statehouse.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** Lets the wall clock of a process be wrong while its steady clock is right. It takes Linux and a C compiler. */
final class WrongClock {

    static final String LEFT_OUT = "LEFT OUT: instances whose clocks are wrong need Linux and a C compiler"
            + " (apt-get install gcc)";
    private static final String SOURCE = "/faults/clock.c";

    private final Path library;

    private WrongClock(Path library) {
        this.library = library;
    }

    /** Compiles it anew; where it cannot be had, that is said. */
    static Optional<WrongClock> find() {
        try (InputStream text = WrongClock.class.getResourceAsStream(SOURCE)) {
            Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target", "faults")), "clock-");
            Path source = folder.resolve("clock.c");
            Path library = folder.resolve("clock.so").toAbsolutePath();
            Files.copy(Objects.requireNonNull(text), source);
            if (System.getProperty("os.name").equals("Linux") && compiles(source, library)) {
                return Optional.of(new WrongClock(library));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runs.say(LEFT_OUT);
        return Optional.empty();
    }

    private static boolean compiles(Path source, Path library) {
        try {
            return new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl")
                    .inheritIO()
                    .start()
                    .waitFor() == 0;
        } catch (IOException noCompiler) {
            return false;
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    /** What to set for a process. */
    Map<String, String> off(int seconds) {
        return Map.of("LD_PRELOAD", library.toString(), "CLOCK_SHIFT", Integer.toString(seconds));
    }
}

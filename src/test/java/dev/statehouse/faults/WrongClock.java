package dev.statehouse.faults;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

import org.opentest4j.TestAbortedException;

/** Lets the wall clock of a process be wrong while its steady clock is right. It takes Linux and a C compiler. */
final class WrongClock {

    private static final String SOURCE = "/faults/clock.c";

    private final Path library;

    private WrongClock(Path library) {
        this.library = library;
    }

    /**
     * @param folder where to compile
     * @throws TestAbortedException if it cannot be had here
     */
    static WrongClock in(Path folder) throws IOException, InterruptedException {
        Path source = folder.resolve("clock.c");
        Path library = folder.resolve("clock.so");
        try (InputStream text = WrongClock.class.getResourceAsStream(SOURCE)) {
            Files.copy(Objects.requireNonNull(text), source);
        }
        try {
            int code = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code == 0 && System.getProperty("os.name").equals("Linux")) {
                return new WrongClock(library);
            }
        } catch (IOException noCompiler) {
            // said below
        }
        String words = "LEFT OUT: instances whose clocks are wrong need Linux and a C compiler (apt-get install gcc)";
        Runs.say(words);
        throw new TestAbortedException(words);
    }

    /** What to set for a process. */
    Map<String, String> off(int seconds) {
        return Map.of("LD_PRELOAD", library.toString(), "CLOCK_SHIFT", Integer.toString(seconds));
    }
}

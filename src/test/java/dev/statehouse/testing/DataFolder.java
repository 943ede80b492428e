package dev.statehouse.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the engine of the tests keeps its data: below the folder of the system property {@code tests.data}; else in
 * memory where there is room. In memory an INSERT takes as long at the end as at the start; on ext4 twice as long once
 * thousands of files were deleted.
 */
final class DataFolder {

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ENOUGH_BYTES = 4L << 30;
    private static final String PREFIX = "statehouse-test-";

    private DataFolder() {}

    static Path create() throws IOException {
        String asked = System.getProperty("tests.data", "");
        if (!asked.isEmpty()) {
            return Files.createTempDirectory(Path.of(asked), PREFIX);
        }
        boolean roomInMemory = Files.isWritable(MEMORY)
                && Files.getFileStore(MEMORY).getUsableSpace() >= ENOUGH_BYTES;
        return roomInMemory ? Files.createTempDirectory(MEMORY, PREFIX) : Files.createTempDirectory(PREFIX);
    }
}

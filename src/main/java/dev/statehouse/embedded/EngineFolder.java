package dev.statehouse.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The data folder, held by one service at a time: {@code clickhouse} has the data, {@code engine} what the child needs.
 * Both are closed to other users of the machine.
 */
final class EngineFolder implements AutoCloseable {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final long LOG_LIMIT_BYTES = 1 << 20;
    private static final int LOG_TAIL_CHARS = 2_000;

    /** A second channel of the same process would drop the lock of the first when it is closed. */
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path root;
    private final Path engine;
    private final FileChannel channel;

    private EngineFolder(Path root, Path engine, FileChannel channel) {
        this.root = root;
        this.engine = engine;
        this.channel = channel;
    }

    /**
     * Makes the folder where it is missing and holds it until {@link #close()}, or until this process ends.
     *
     * @throws EngineUnavailable
     *             if another service holds it, or it cannot be written
     */
    static EngineFolder open(Path data) {
        Path root = data;
        try {
            Files.createDirectories(data);
            root = data.toRealPath();
            Path engine = ownDirectory(root.resolve("engine"));
            ownDirectory(root.resolve("clickhouse"));
            if (!HELD_HERE.add(root)) {
                throw inUse(root);
            }
            try {
                return new EngineFolder(root, engine, hold(root, engine.resolve("service.lock")));
            } catch (IOException | RuntimeException e) {
                HELD_HERE.remove(root);
                throw e;
            }
        } catch (IOException e) {
            throw new EngineUnavailable(
                    "The data folder of the embedded engine cannot be used: " + root.toAbsolutePath()
                            + " (" + e + "). Name another by statehouse.embedded.data. " + EngineUnavailable.INSTEAD,
                    e);
        }
    }

    private static FileChannel hold(Path root, Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean held = false;
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw inUse(root);
            }
            held = true;
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
            return channel;
        } finally {
            if (!held) {
                channel.close();
            }
        }
    }

    private static EngineUnavailable inUse(Path root) {
        return new EngineUnavailable("The data folder " + root + " is in use by another service on this machine (the "
                + "process in engine/service.lock there). Give each its own by statehouse.embedded.data. "
                + EngineUnavailable.INSTEAD);
    }

    private static Path ownDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        }
        return Files.setPosixFilePermissions(directory, OWNER_ONLY);
    }

    /** Writes a file that only its owner may read, whole or not at all. */
    Path write(String name, String content) throws IOException {
        Path file = engine.resolve(name);
        Path fresh = engine.resolve(name + ".new");
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, PosixFilePermissions.asFileAttribute(OWNER_FILE));
        Files.writeString(fresh, content);
        return Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Copies a class of this program out, so that another JVM can run it; returns the class path. */
    Path copyOut(Class<?> type) throws IOException {
        Path classes = engine.resolve("classes");
        String name = type.getName().replace('.', '/') + ".class";
        Path file = classes.resolve(name);
        Files.createDirectories(classes.resolve(type.getPackageName().replace('.', '/')));
        try (InputStream in = type.getResourceAsStream("/" + name)) {
            if (in == null) {
                throw new IOException(name + " is not in the program");
            }
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        }
        return classes;
    }

    Path data() {
        return root.resolve("clickhouse");
    }

    Path engineLock() {
        return engine.resolve("engine.lock");
    }

    Path serverLog() {
        return engine.resolve("clickhouse.log");
    }

    /** Where the child prints to; a large one is set aside first. */
    Path output() throws IOException {
        Path log = engine.resolve("engine.log");
        if (Files.exists(log) && Files.size(log) > LOG_LIMIT_BYTES) {
            Files.move(log, engine.resolve("engine.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        return log;
    }

    /** The end of what the child printed. */
    String outputTail() {
        try {
            String text = Files.readString(engine.resolve("engine.log"), StandardCharsets.ISO_8859_1);
            return text.substring(Math.max(0, text.length() - LOG_TAIL_CHARS)).strip();
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public String toString() {
        return root.toString();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // the lock ends with the process at the latest
        }
        HELD_HERE.remove(root);
    }
}

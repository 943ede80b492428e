package dev.statehouse.embedded;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;

/**
 * The child process: runs ClickHouse from its library until standard input closes. It is copied out of the program and
 * runs alone, so it uses nothing but the JDK and has no nested classes.
 *
 * <p>
 * Arguments: a lock file, the library, then the arguments of clickhouse-local.
 * <ol>
 * <li>Take the lock, and so wait until an earlier engine on this folder has gone.
 * <li>Ignore the signals that a terminal or an init system sends to the whole group: the service ends first, and the
 * engine ends with it.
 * <li>Should the service die, leave 10 seconds to an orderly end.
 * <li>Call the library.
 * </ol>
 */
@SuppressWarnings("restricted")
final class EngineMain {

    private static final int[] IGNORED_SIGNALS = {1 /* HUP */, 2 /* INT */, 15 /* TERM */};
    private static final long SECONDS_TO_END = 10;

    private EngineMain() {}

    @SuppressWarnings("CatchAndPrintStackTrace") // standard error is the log here
    public static void main(String[] args) throws Throwable {
        ProcessHandle.current().parent().ifPresent(EngineMain::endWith);
        FileLock lock = lock(Path.of(args[0]));
        int code = 1;
        try {
            ignoreSignals();
            String error = run(Path.of(args[1]), args);
            if (error == null) {
                code = 0;
            } else {
                System.err.println(error);
            }
        } catch (Throwable e) {
            e.printStackTrace();
        } finally {
            Reference.reachabilityFence(lock); // held until the process is gone
        }
        Runtime.getRuntime().halt(code);
    }

    private static FileLock lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null) {
            System.err.println("waiting for an earlier engine on this folder to end");
            lock = channel.lock();
        }
        return lock;
    }

    private static void endWith(ProcessHandle service) {
        Thread watch = new Thread(() -> {
            service.onExit().join();
            try {
                Thread.sleep(SECONDS_TO_END * 1000);
            } catch (InterruptedException e) {
                // end now
            }
            Runtime.getRuntime().halt(2);
        });
        watch.setDaemon(true);
        watch.start();
    }

    private static void ignoreSignals() throws Throwable {
        Linker linker = Linker.nativeLinker();
        var signal = linker.downcallHandle(linker.defaultLookup().findOrThrow("signal"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        for (int number : IGNORED_SIGNALS) {
            MemorySegment before = (MemorySegment) signal.invokeExact(number, MemorySegment.ofAddress(1));
            if (before.address() == -1) {
                System.err.println("signal " + number + " is not ignored");
            }
        }
    }

    /** Returns what went wrong, or null. */
    private static @Nullable String run(Path library, String[] args) throws Throwable {
        Arena arena = Arena.global();
        Linker linker = Linker.nativeLinker();
        SymbolLookup symbols = SymbolLookup.libraryLookup(library, arena);
        linker.downcallHandle(symbols.findOrThrow("chdb_set_signal_handlers_enabled"),
                FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT)).invokeExact(0);
        int count = args.length - 1;
        MemorySegment argv = arena.allocate(ValueLayout.ADDRESS, count + 1L);
        argv.setAtIndex(ValueLayout.ADDRESS, 0, arena.allocateFrom("clickhouse"));
        for (int i = 1; i < count; i++) {
            argv.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(args[i + 1]));
        }
        MemorySegment result = (MemorySegment) linker
                .downcallHandle(symbols.findOrThrow("chdb_query_cmdline"),
                        FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS))
                .invokeExact(count, argv);
        MemorySegment error = (MemorySegment) linker.downcallHandle(symbols.findOrThrow("chdb_result_error"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS)).invokeExact(result);
        return error.address() == 0 ? null : error.reinterpret(Long.MAX_VALUE).getString(0);
    }
}

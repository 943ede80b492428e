package dev.statehouse.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ClickHouse in a child process, watched, and started again on the same port when it dies, until this is closed.
 *
 * <ol>
 * <li>Find the library, hold the data folder, write the configuration, choose a port.
 * <li>Start the child and wait until it answers; if it ends instead, try another port, then fail.
 * <li>Whenever the child ends, start it again: at once, and after 0.5, 1, 2 … up to 10 s while it does not answer.
 * <li>On close, close the child's standard input and wait for its end. If this process is killed, the system does so.
 * </ol>
 *
 * Rows that the engine acknowledged survive its death. What became of a request under way when it died is not known.
 */
public final class EmbeddedEngine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedEngine.class);
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final EngineLaunch launch;
    private final EngineAddress address;
    private final Thread supervisor = Thread.ofPlatform().daemon().name("embedded-engine").unstarted(this::supervise);
    private EngineProcess process;
    private boolean closed;

    private EmbeddedEngine(EngineLaunch launch, EngineProcess process) {
        this.launch = launch;
        this.process = process;
        this.address = process.address();
    }

    /**
     * Returns once the engine answers.
     *
     * @throws EngineUnavailable
     *             if it cannot be started; the message says what is missing and what to do instead
     */
    public static EmbeddedEngine start(EmbeddedProperties properties) {
        return start(properties, List.of());
    }

    /**
     * The same, with more users than the one that has every right.
     *
     * @throws EngineUnavailable
     *             as above
     */
    public static EmbeddedEngine start(EmbeddedProperties properties, List<EngineUser> more) {
        var library = EngineLibrary.find(properties.libraryFile());
        EngineFolder folder = EngineFolder.open(properties.folder());
        boolean started = false;
        try {
            LOG.info("Starting the embedded engine, data in {}", folder);
            long begin = System.nanoTime();
            EngineLaunch launch = EngineLaunch.prepare(folder, library, more);
            EmbeddedEngine engine = new EmbeddedEngine(launch, launch.first(START_LIMIT));
            engine.supervisor.start();
            started = true;
            LOG.info("The embedded engine took {} ms to start",
                    Duration.ofNanos(System.nanoTime() - begin).toMillis());
            return engine;
        } catch (IOException e) {
            throw new EngineUnavailable("The embedded engine in " + folder + " cannot be started: " + e + ". "
                    + EngineUnavailable.INSTEAD, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineUnavailable("The start of the embedded engine was interrupted", e);
        } finally {
            if (!started) {
                folder.close();
            }
        }
    }

    /** Stays the same until this is closed; nothing answers there while the child is being started again. */
    public EngineAddress address() {
        return address;
    }

    /** The child's process id; another after each restart. */
    public synchronized long pid() {
        return process.pid();
    }

    private void supervise() {
        Duration pause = Duration.ZERO;
        try {
            while (true) {
                if (answersUntilItsEnd(current())) {
                    pause = Duration.ZERO;
                }
                if (closed()) {
                    return;
                }
                LOG.warn("Starting the embedded engine again in {} ms", pause.toMillis());
                Thread.sleep(pause);
                pause = pause.isZero() ? FIRST_PAUSE : min(pause.multipliedBy(2), LONGEST_PAUSE);
                restart();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** Returns at the end of the process: whether it had come to answer. */
    private boolean answersUntilItsEnd(EngineProcess current) throws InterruptedException {
        try {
            current.awaitAnswer(START_LIMIT);
            LOG.info("The embedded engine answers on {} (process {})", address, current.pid());
            int code = current.awaitEnd();
            if (!closed()) {
                LOG.warn("The embedded engine ended with exit code {}", code);
            }
            return true;
        } catch (EngineUnavailable e) {
            LOG.error("{}", e.getMessage());
            current.end();
            return false;
        }
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private synchronized EngineProcess current() {
        return process;
    }

    private synchronized boolean closed() {
        return closed;
    }

    private synchronized void restart() {
        if (closed) {
            return;
        }
        try {
            process = launch.again(address);
        } catch (IOException e) {
            LOG.error("The embedded engine cannot be started", e); // the one before is still there to be seen as ended
        }
    }

    /** Ends the child, waiting up to 10 s for its orderly end, and lets go of the folder. Does nothing the second time. */
    @Override
    public void close() {
        EngineProcess last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            last = process;
        }
        supervisor.interrupt();
        last.end();
        launch.folder().close();
        LOG.info("The embedded engine has ended");
    }
}

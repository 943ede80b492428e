package dev.statehouse.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Appender;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.EventIds;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Time;
import dev.statehouse.problem.Unavailable;
import jakarta.annotation.PreDestroy;
import org.springframework.stereotype.Component;

/**
 * Tells the log which writes are in the state table: along with the next announcement, or alone a little later. One that
 * is not told costs the next writer a look at the table, no more.
 */
@Component
final class DoneRows {

    private static final Duration ALONE_AFTER = Duration.ofMillis(100);

    private final Ledger ledger;
    private final Appender appender;
    private final WriteMemory memory;
    private final Time time;
    private final EventIds ids;
    private final Object guard = new Object();
    private List<Entry> waiting = new ArrayList<>();
    /** When the first that waits came. */
    private long waitingSince;
    private boolean scheduled;

    DoneRows(Ledger ledger, Appender appender, WriteMemory memory, Time time, EventIds ids) {
        this.ledger = ledger;
        this.appender = appender;
        this.memory = memory;
        this.time = time;
        this.ids = ids;
    }

    void add(StateId id, String writeId) {
        synchronized (guard) {
            if (waiting.isEmpty()) {
                waitingSince = time.nanos();
            }
            waiting.add(Entry.done(id, ids.next(), writeId));
            if (!scheduled) {
                scheduled = true;
                Thread.ofVirtual().name("done rows").start(this::tellLater);
            }
        }
    }

    /** What is to be told; whoever takes it tells it. */
    List<Entry> take() {
        synchronized (guard) {
            List<Entry> taken = waiting;
            waiting = new ArrayList<>();
            return taken;
        }
    }

    private void tellLater() {
        do {
            time.sleep(ALONE_AFTER);
        } while (areStillTaken());
        tell(appender::append);
    }

    /** Whether what came goes along with announcements, so that nothing waits for long. */
    private boolean areStillTaken() {
        synchronized (guard) {
            scheduled = !waiting.isEmpty() && time.since(waitingSince).compareTo(ALONE_AFTER) < 0;
            return scheduled;
        }
    }

    /** Once: the end does not wait for a ClickHouse that is away. */
    @PreDestroy
    void tellBeforeTheEnd() {
        tell(ledger::append);
    }

    private void tell(Consumer<List<Entry>> append) {
        List<Entry> rows = take();
        if (!rows.isEmpty()) {
            long sentAt = time.nanos();
            try {
                append.accept(rows);
                memory.told(rows, sentAt);
            } catch (Unavailable untold) {
                // The next writer looks at the table instead.
            }
        }
    }
}

package dev.statehouse.testing;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Entry;
import dev.statehouse.ledger.Ledger;
import dev.statehouse.ledger.Look;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import org.jspecify.annotations.Nullable;

/** A real ledger, with places at which a test can stand: between two steps, or where an answer is lost. */
public final class SeamLedger implements Ledger {

    private final Ledger ledger;
    public final AtomicInteger looks = new AtomicInteger();
    public volatile Consumer<List<Entry>> beforeAppend = entries -> {};
    public volatile Consumer<List<Entry>> afterAppend = entries -> {};
    public volatile Runnable beforeLook = () -> {};
    public volatile Runnable afterLook = () -> {};
    public volatile Runnable beforeSettle = () -> {};

    public SeamLedger(Ledger ledger) {
        this.ledger = ledger;
    }

    /** What a lost answer, or a server that is away, looks like. */
    public static Unavailable away() {
        return new Unavailable(ProblemCode.CLICKHOUSE_UNAVAILABLE, "away, for the test", Duration.ofSeconds(1), null);
    }

    @Override
    public void append(List<Entry> entries) {
        beforeAppend.accept(entries);
        ledger.append(entries);
        afterAppend.accept(entries);
    }

    @Override
    public Look look(Collection<StateId> ids) {
        return look(() -> ledger.look(ids));
    }

    @Override
    public Look lookBack(StateId id, long since) {
        return look(() -> ledger.lookBack(id, since));
    }

    private Look look(Supplier<Look> question) {
        looks.incrementAndGet();
        beforeLook.run();
        Look look = question.get();
        afterLook.run();
        return look;
    }

    @Override
    public Map<StateId, Long> storedVersions(Collection<StateId> ids) {
        return ledger.storedVersions(ids);
    }

    @Override
    public void settle(StateId id, String writeId) {
        beforeSettle.run();
        ledger.settle(id, writeId);
    }

    @Override
    public List<StateId> lockCandidates(Glob pattern, @Nullable StateId after, int limit) {
        return ledger.lockCandidates(pattern, after, limit);
    }
}

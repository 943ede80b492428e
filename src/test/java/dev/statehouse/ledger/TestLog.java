package dev.statehouse.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes a log by hand: every row is an INSERT of its own; times are milliseconds after {@link #T0}. */
final class TestLog {

    static final long T0 = 1_800_000_000_000L;

    private final List<LedgerRow> rows = new ArrayList<>();
    private final List<Holder> grants = new ArrayList<>();
    private final List<String> counted = new ArrayList<>();
    private long block;

    TestLog request(String eventId, long at, String lock, long ttlMs) {
        return add(Event.REQUEST, eventId, at, lock, ttlMs, 0, 0, 0, 0, 0, null);
    }

    TestLog wait(long at, String lock) {
        return add(Event.WAIT, "wait" + block, at, lock, 0, 0, 0, 0, 0, 0, null);
    }

    TestLog leave(String eventId, long at, String lock) {
        return add(Event.LEAVE, eventId, at, lock, 0, 0, 0, 0, 0, 0, null);
    }

    TestLog claim(long at, String lock) {
        return add(Event.CLAIM, "claim" + block, at, lock, 0, 0, 0, 0, 0, 0, null);
    }

    TestLog renew(long at, String lock, long ttlMs) {
        return add(Event.RENEW, "renew" + block, at, lock, ttlMs, 0, 0, 0, 0, 0, null);
    }

    TestLog release(long at, String lock) {
        return add(Event.RELEASE, "release" + block, at, lock, 0, 0, 0, 0, 0, 0, null);
    }

    TestLog breakLease(long at, long token) {
        return add(Event.BREAK, "break" + block, at, "", 0, token, 0, 0, 0, 0, null);
    }

    /** A write that was read just before; base and version as they are. */
    TestLog write(String eventId, long at, String lock, long base, long version) {
        return write(eventId, at, lock, base, version, at);
    }

    TestLog write(String eventId, long at, String lock, long base, long version, long readAt) {
        return add(Event.WRITE, eventId, at, lock, 0, 0, base, version, T0 + readAt, 0, null);
    }

    TestLog done(long at, String write) {
        return add(Event.DONE, "done" + block, at, write, 0, 0, 0, 0, 0, 0, null);
    }

    TestLog mark(long at) {
        return add(Event.MARK, "mark" + block, at, "", 0, 0, 0, 0, 0, 0, null);
    }

    TestLog snapshot(long at, long upto, @Nullable String fold) {
        return add(Event.SNAPSHOT, "snapshot" + block, at, "", 0, 0, 0, 0, 0, upto, fold);
    }

    /** The same row once more, at the end of the log. */
    TestLog again(int index) {
        rows.add(at(rows.get(index), new Position(++block, 0)));
        return this;
    }

    TestLog forget(int index) {
        rows.remove(index);
        return this;
    }

    List<LedgerRow> rows() {
        return rows;
    }

    Folded folded() {
        grants.clear();
        counted.clear();
        return Fold.of(rows, new Fold.Trace() {

            @Override
            public void granted(Holder holder) {
                grants.add(holder);
            }

            @Override
            public void counted(CountedWrite write) {
                counted.add(write.eventId());
            }
        });
    }

    FoldState state() {
        return folded().state();
    }

    CountedWrite last() {
        return Objects.requireNonNull(state().last());
    }

    /** The locks that were granted, in order. */
    List<String> grants() {
        folded();
        return grants.stream().map(Holder::lock).toList();
    }

    /** The writes that counted, in order. */
    List<String> counted() {
        folded();
        return counted;
    }

    /** @return the lock of the lease in milliseconds after T0; "" if there is none */
    String holderAt(long at) {
        return state().holderAt(T0 + at).map(Holder::lock).orElse("");
    }

    List<String> queue() {
        return state().queue().stream().map(Place::lock).toList();
    }

    static LedgerRow at(LedgerRow row, Position position) {
        return new LedgerRow(position, row.event(), row.eventId(), row.lock(), row.owner(), row.ttlMs(),
                row.fencingToken(), row.base(), row.version(), row.readAt(), row.upto(), row.fold(), row.at());
    }

    private TestLog add(Event event, String eventId, long at, String lock, long ttlMs, long token, long base,
            long version, long readAt, long upto, @Nullable String fold) {
        rows.add(new LedgerRow(new Position(++block, 0), event, eventId, lock, "owner of " + lock, ttlMs, token, base,
                version, readAt, upto, fold, T0 + at));
        return this;
    }
}

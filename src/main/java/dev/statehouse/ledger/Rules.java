package dev.statehouse.ledger;

import org.jspecify.annotations.Nullable;

/**
 * The rules of the log, row by row in the order of positions. Every instance must come to the same: a change here is a new
 * version of the rules, for the mark row.
 *
 * <p>
 * Log time is the largest {@code at} so far of all rows but write, done and snapshot. What is no longer live at a row's
 * log time is gone before the row is applied. A write is judged at the larger of log time and its own {@code at}, and what
 * is over by then is so for that write only.
 * <ol start="0">
 * <li>A row may be there twice. Nothing is: a write whose event_id already failed to count, a request whose event_id was
 * taken back by a leave, also by one before it, or whose place died; each for 10 minutes.
 * <li>request, by one that waits: a sign of life. By the holder, or by a lock that ended in the last hour: nothing. Else
 * granted by this row if no lease is live and nobody waits. Else a place at the end of the queue.
 * <li>wait: a sign of life of that lock's place. leave: ends the place which the request of the same event_id made; never
 * a lease, nor a place which that request only kept alive.
 * <li>renew by the holder: the expiry becomes the later of the old one and log time + ttl.
 * <li>release by the holder, or break naming its token: the lease ends, and the first place is granted by this row. A
 * release by any lock that has not ended ends its place and counts as its end.
 * <li>claim by the first place when no lease is live: granted by this row.
 * <li>A grant by 4 or 5 lasts 6 s, or its ttl if that is less, until the new holder's own renew.
 * <li>write: counts if it names the live holder's lock, or none when no lease is live; its base is at least the last
 * version that counted in the last 10 minutes; and it was read at most 60 s before. Else it is nothing, for good.
 * <li>done: the last write that counts is in the state table, if this names it.
 * </ol>
 */
final class Rules {

    private static final long ENDED_KNOWN_MS = 3_600_000;
    private static final long WRITE_WITHIN_MS = 60_000;
    /**
     * Where nobody ever locks, log time stands still, so writes must forget too. They wait 5 minutes more, so that a write
     * that is judged at an earlier time, after the clock was set back, finds what the rules say.
     */
    private static final long WRITES_KNOWN_MS = Memory.KNOWN_MS + 300_000;

    private final Fold.Trace trace;
    private long logTime;
    private @Nullable Holder holder;
    private final Waiting queue;
    private final Recent.Draft<Ending> ended;
    private long lastToken;
    private @Nullable CountedWrite last;
    private final Memory counted;
    private final Memory failed;
    private final Memory takenBack;

    Rules(FoldState start, Fold.Trace trace) {
        this.trace = trace;
        logTime = start.logTime();
        holder = start.holder();
        queue = new Waiting(start.queue());
        ended = Recent.draft(start.ended(), Ending::at);
        lastToken = start.lastToken();
        last = start.last();
        counted = new Memory(start.counted());
        failed = new Memory(start.failed());
        takenBack = new Memory(start.takenBack());
    }

    FoldState state() {
        return new FoldState(logTime, holder, queue.places(), ended.done(), lastToken, last, counted.all(),
                failed.all(),
                takenBack.all());
    }

    void apply(LedgerRow row) {
        if (row.event().movesLogTime()) {
            logTime = Math.max(logTime, row.at());
            dropWhatIsOver();
        }
        switch (row.event()) {
            case REQUEST -> request(row); // 1
            case WAIT -> queue.signOfLife(row.lock(), logTime); // 2
            case LEAVE -> leave(row.eventId()); // 2
            case RENEW -> renew(row); // 3
            case RELEASE -> release(row.lock()); // 4
            case BREAK -> breakLease(row.fencingToken()); // 4
            case CLAIM -> claim(row.lock()); // 5
            case WRITE -> write(row); // 7
            case DONE -> done(row.lock()); // 8
            case SNAPSHOT, MARK -> {
            } // 9: nothing by itself
        }
    }

    private void dropWhatIsOver() {
        if (holder != null && !holder.isLiveAt(logTime)) {
            endLease(holder, Ending.How.LOST);
        }
        queue.dropDead(logTime, place -> takenBack.note(place.eventId(), logTime)); // 0
        ended.forget(logTime - ENDED_KNOWN_MS);
        counted.forget(logTime - Memory.KNOWN_MS);
        failed.forget(logTime - Memory.KNOWN_MS);
        takenBack.forget(logTime - Memory.KNOWN_MS);
    }

    private void request(LedgerRow row) {
        String lock = row.lock();
        if (takenBack.knows(row.eventId(), logTime)) {
            return; // 0
        }
        if (queue.signOfLife(lock, logTime) || isHolder(lock) || ended.get(lock) != null) {
            return;
        }
        Place place = new Place(lock, row.owner(), row.ttlMs(), row.eventId(), logTime);
        if (holder == null && queue.first() == null) {
            grant(place, false);
        } else {
            queue.add(place);
        }
    }

    private void leave(String eventId) {
        takenBack.note(eventId, logTime); // 0
        queue.dropMadeBy(eventId);
    }

    private void renew(LedgerRow row) {
        if (holder != null && isHolder(row.lock())) {
            holder = holder.renewed(logTime, row.ttlMs());
        }
    }

    private void release(String lock) {
        if (holder != null && isHolder(lock)) {
            endLease(holder, Ending.How.RELEASED);
            grantFirst();
        } else if (ended.get(lock) == null) {
            queue.dropLock(lock);
            ended.put(lock, new Ending(Ending.How.RELEASED, logTime));
        }
    }

    private void breakLease(long fencingToken) {
        if (holder != null && holder.fencingToken() == fencingToken) {
            endLease(holder, Ending.How.LOST);
            grantFirst();
        }
    }

    private void claim(String lock) {
        Place first = queue.first();
        if (holder == null && first != null && first.lock().equals(lock)) {
            grantFirst();
        }
    }

    private void write(LedgerRow row) {
        long time = Math.max(logTime, row.at());
        counted.forget(time - WRITES_KNOWN_MS);
        failed.forget(time - WRITES_KNOWN_MS);
        if (failed.knows(row.eventId(), time)) {
            return; // 0
        }
        String needed = holder != null && holder.isLiveAt(time) ? holder.lock() : "";
        boolean sawTheLast = last == null || time - last.judgedAt() > Memory.KNOWN_MS || row.base() >= last.version();
        if (row.lock().equals(needed) && sawTheLast && row.at() - row.readAt() <= WRITE_WITHIN_MS) {
            last = new CountedWrite(row.eventId(), row.version(), row.position(), row.at(), time, row.lock(), false);
            counted.note(row.eventId(), time);
            trace.counted(last);
        } else {
            failed.note(row.eventId(), time);
        }
    }

    private void done(String eventId) {
        if (last != null && last.eventId().equals(eventId)) {
            last = last.asDone();
        }
    }

    private boolean isHolder(String lock) {
        return holder != null && holder.lock().equals(lock);
    }

    private void endLease(Holder lease, Ending.How how) {
        ended.put(lease.lock(), new Ending(how, logTime));
        holder = null;
    }

    private void grantFirst() {
        Place first = queue.first();
        if (first != null) {
            queue.dropLock(first.lock());
            grant(first, true);
        }
    }

    private void grant(Place place, boolean provisional) {
        lastToken = Math.max(logTime, lastToken + 1);
        holder = Holder.granted(place, lastToken, logTime, provisional);
        trace.granted(holder);
    }
}

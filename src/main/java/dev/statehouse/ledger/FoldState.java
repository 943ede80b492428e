package dev.statehouse.ledger;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the log of one id says, up to its newest row. Times are epoch milliseconds of the server's clock. It is as of log
 * time, which stands still between rows: ask what is live with the larger of it and the server's time.
 *
 * @param logTime the largest insertion time in the log, of all rows but write, done and snapshot; 0 if there is none
 * @param holder the lease, live at log time; null if there is none
 * @param queue who waits, first come first
 * @param ended the locks that were seen to end in the last hour of log time
 * @param lastToken the fencing token of the last grant; 0 before the first
 * @param last the last write that counts; null if there is none, or it was forgotten
 * @param counted event_ids of the writes that counted in the last 10 minutes at least, with when they were judged
 * @param failed event_ids of the writes that failed to count in that time, with when
 * @param takenBack event_ids of the requests that were taken back or whose place died in that time, with when
 */
public record FoldState(long logTime, @Nullable Holder holder, List<Place> queue, Map<String, Ending> ended,
        long lastToken, @Nullable CountedWrite last, Map<String, Long> counted, Map<String, Long> failed,
        Map<String, Long> takenBack) {

    static final FoldState EMPTY = new FoldState(0, null, List.of(), Map.of(), 0, null, Map.of(), Map.of(), Map.of());

    public FoldState {
        queue = List.copyOf(queue);
        // In the given order, so that the text of a snapshot depends on the log alone.
        ended = Recent.of(ended, Ending::at);
        counted = Recent.of(counted, Long::longValue);
        failed = Recent.of(failed, Long::longValue);
        takenBack = Recent.of(takenBack, Long::longValue);
    }

    /** The lease if it is live at that time. */
    public Optional<Holder> holderAt(long time) {
        return Optional.ofNullable(holder).filter(h -> h.isLiveAt(time));
    }

    /** Who still waits at that time, first come first. */
    public List<Place> queueAt(long time) {
        return queue.stream().filter(place -> place.isLiveAt(time)).toList();
    }

    /** The place of that lock, as of log time. */
    public Optional<Place> placeOf(String lock) {
        return queue.stream().filter(place -> place.lock().equals(lock)).findFirst();
    }

    /** How that lock ended, if the log saw it in the last hour; a lease past its expiry may still be the holder here. */
    public Optional<Ending> endingOf(String lock) {
        return Optional.ofNullable(ended.get(lock));
    }

    /** Whether the write of that event_id counted; known for 10 minutes. */
    public boolean counts(String eventId) {
        return last != null && last.eventId().equals(eventId) || counted.containsKey(eventId);
    }

    /** How many events it remembers. */
    public int size() {
        return queue.size() + ended.size() + counted.size() + failed.size() + takenBack.size();
    }

    /** The base for the next write: the last version that counts; 0 if there is none. */
    public long base() {
        return last == null ? 0 : last.version();
    }
}

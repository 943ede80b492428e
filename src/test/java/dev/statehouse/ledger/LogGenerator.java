package dev.statehouse.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Logs of one id as unlucky instances would write them: rows sent twice, clocks that go back, steps right at the limits
 * of the rules, writers that saw too little. The same seed gives the same log. Blocks have even numbers, so that there is
 * room for other rows between any two.
 */
public final class LogGenerator {

    private static final long T0 = 1_800_000_000_000L;
    private static final long[] SMALL_STEPS = {0, 0, 1, 3, 20, 500, 700};
    private static final long[] STEPS = {2_000, 5_997, 6_000, 6_001, 30_000, 60_000, 60_001};
    private static final long[] LONG_STEPS = {600_000, 600_001, 700_000, 3_600_000, 3_600_001, 4_000_000, 43_200_001};
    private static final long[] BACK = {0, 0, 0, 0, 0, 3, 200, 30_000};
    private static final long[] TTLS = {1_000, 5_000, 10_000, 60_000, 600_000, 86_400_000};
    private static final Event[] EVENTS = {Event.REQUEST, Event.REQUEST, Event.REQUEST, Event.WAIT, Event.WAIT,
            Event.LEAVE, Event.CLAIM, Event.RENEW, Event.RELEASE, Event.BREAK, Event.WRITE, Event.WRITE, Event.WRITE,
            Event.DONE};

    private final Random random;
    private final List<LedgerRow> rows = new ArrayList<>();
    private final Rules rules = new Rules(FoldState.EMPTY, Fold.Trace.NONE);
    private long now = T0;
    private long block;
    private int locks = 1;

    public LogGenerator(long seed) {
        random = new Random(seed);
    }

    /**
     * @param length how many rows at least
     * @return a log in order of positions
     */
    public List<LedgerRow> rows(int length) {
        while (rows.size() < length) {
            block += 2L * (1 + random.nextInt(2));
            now += step();
            int inserted = 1 + (random.nextInt(3) == 0 ? random.nextInt(3) : 0);
            for (int offset = 0; offset < inserted; offset++) {
                add(new Position(block, offset));
            }
        }
        return List.copyOf(rows);
    }

    private long step() {
        int dice = random.nextInt(100);
        return pick(dice < 75 ? SMALL_STEPS : dice < 95 ? STEPS : LONG_STEPS);
    }

    private void add(Position position) {
        LedgerRow row = !rows.isEmpty() && random.nextInt(6) == 0 ? again(position) : fresh(position);
        rows.add(row);
        rules.apply(row);
    }

    /** A doubled row is the same all over; one that was sent again was inserted later. */
    private LedgerRow again(Position position) {
        int from = random.nextBoolean() ? Math.max(0, rows.size() - 5) : 0;
        LedgerRow row = rows.get(from + random.nextInt(rows.size() - from));
        return new LedgerRow(position, row.event(), row.eventId(), row.lock(), row.owner(), row.ttlMs(),
                row.fencingToken(), row.base(), row.version(), row.readAt(), row.upto(), row.fold(),
                random.nextBoolean() ? row.at() : now);
    }

    private LedgerRow fresh(Position position) {
        FoldState state = rules.state();
        Event event = EVENTS[random.nextInt(EVENTS.length)];
        String eventId = "e" + rows.size();
        String lock = lock(state);
        long token = 0;
        long base = 0;
        long version = 0;
        long readAt = 0;
        long at = now - pick(BACK);
        switch (event) {
            case LEAVE -> eventId = random.nextInt(4) == 0 ? "e" + (rows.size() + 3) : eventOf(Event.REQUEST, eventId);
            case BREAK -> {
                lock = "";
                token = state.lastToken() - (random.nextInt(4) == 0 ? 1 : 0);
            }
            case WRITE -> {
                boolean likely = random.nextInt(4) > 0;
                lock = likely ? state.holderAt(at).map(Holder::lock).orElse("") : random.nextBoolean() ? lock : "";
                base = random.nextInt(5) > 0 ? state.base() : Math.max(0, state.base() - 1);
                version = Math.max(base + 1, random.nextBoolean() ? at : 0);
                readAt = at - pick(new long[]{0, 3, 2_000, 60_000, 60_001});
            }
            case DONE -> lock = eventOf(Event.WRITE, "e0");
            default -> {
                // the common columns are enough
            }
        }
        return new LedgerRow(position, event, eventId, lock, "owner of " + lock, pick(TTLS), token, base, version,
                readAt, 0, null, at);
    }

    /** Mostly one that matters: the holder, one that waits, one that ended, a new one. */
    private String lock(FoldState state) {
        List<String> known = new ArrayList<>();
        state.holderAt(0).ifPresent(holder -> known.add(holder.lock()));
        state.queue().forEach(place -> known.add(place.lock()));
        if (known.isEmpty() || random.nextInt(3) == 0) {
            return "l" + (random.nextBoolean() ? locks++ : random.nextInt(locks));
        }
        return known.get(random.nextInt(known.size()));
    }

    private String eventOf(Event event, String otherwise) {
        List<String> found = rows.stream().filter(row -> row.event() == event).map(LedgerRow::eventId).toList();
        return found.isEmpty() ? otherwise : found.get(Math.max(0, found.size() - 1 - random.nextInt(4)));
    }

    private long pick(long[] choices) {
        return choices[random.nextInt(choices.length)];
    }
}

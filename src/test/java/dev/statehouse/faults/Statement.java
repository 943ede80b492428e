package dev.statehouse.faults;

import java.util.regex.Pattern;

/**
 * What an instance sends to ClickHouse.
 *
 * @param step what it is for
 * @param text its SQL, values and all
 */
record Statement(Step step, String text) {

    /** The steps of acquire, renew, release and write. */
    enum Step {
        REQUEST, CLAIM, RENEW, RELEASE, LEAVE, SIGN, ANNOUNCE, DONE, SNAPSHOT, LOOK, READ, VERSION, STORE, HELP, OTHER
    }

    private static final Pattern LEDGER = Pattern.compile("(?i)INSERT INTO \\S+_ledger`?\\s");
    private static final Pattern STATE = Pattern.compile("(?i)INSERT INTO \\S+state`?\\s");

    static Statement of(String text) {
        return new Statement(step(text), text);
    }

    private static Step step(String text) {
        if (LEDGER.matcher(text).find()) {
            return event(text);
        } else if (STATE.matcher(text).find()) {
            return text.contains("SELECT state_id") ? Step.HELP : Step.STORE;
        } else if (text.contains("'row' AS event")) {
            return Step.READ;
        } else if (text.contains("_block_offset")) {
            return Step.LOOK;
        } else if (text.contains("max(updated_at)")) {
            return Step.VERSION;
        }
        return Step.OTHER;
    }

    /** An INSERT of several rows is named by what matters most in it. */
    private static Step event(String text) {
        if (text.contains("'write'")) {
            return Step.ANNOUNCE;
        }
        String[] events = {"request", "claim", "renew", "release", "leave", "wait", "done", "snapshot"};
        Step[] steps = {Step.REQUEST, Step.CLAIM, Step.RENEW, Step.RELEASE, Step.LEAVE, Step.SIGN, Step.DONE,
                Step.SNAPSHOT};
        for (int i = 0; i < events.length; i++) {
            if (text.contains("'" + events[i] + "'")) {
                return steps[i];
            }
        }
        return Step.OTHER;
    }

    boolean isInsert() {
        return switch (step) {
            case LOOK, READ, VERSION, OTHER -> false;
            default -> true;
        };
    }

    boolean names(String id) {
        return text.contains("'" + id + "'");
    }
}

package dev.statehouse.state;

import org.springframework.stereotype.Component;

/** Whether it is worth a try that nobody else writes to the log: the less often, the longer it was in vain. */
@Component
final class Quiet {

    private static final int MOST_PASSED_OVER = 63;

    private int passOver;
    private int left;

    synchronized boolean isWorthATry() {
        if (left > 0) {
            left--;
            return false;
        }
        return true;
    }

    /** What came of a try. */
    synchronized void was(boolean quiet) {
        passOver = quiet ? 0 : Math.min(2 * passOver + 1, MOST_PASSED_OVER);
        left = passOver;
    }
}

package dev.statehouse.ledger;

/**
 * How a lock_id ended. It is spent: it gets no lease any more.
 *
 * @param how by itself or not
 * @param at log time at which the log saw it, epoch milliseconds
 */
public record Ending(How how, long at) {

    /** The two ways to end. */
    public enum How {
        /** Its owner let go of it. */
        RELEASED,
        /** It expired or was broken. */
        LOST
    }
}

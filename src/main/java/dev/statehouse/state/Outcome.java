package dev.statehouse.state;

import dev.statehouse.problem.Problem;

/** What came of one write of several: one that is refused does not keep the others from being done. */
sealed interface Outcome {

    /** How many wait for the lock of the id. */
    int waiting();

    /**
     * The write is stored, or there was nothing to store.
     *
     * @param state what is there now
     * @param created whether there was no state before
     */
    record Done(StoredState state, boolean created, int waiting) implements Outcome {

        Done withWaiting(int now) {
            return new Done(state, created, now);
        }
    }

    /** The write is not stored, or that is not known: the problem says which. */
    record Refused(Problem problem, int waiting) implements Outcome {}

    /** Something went wrong with it that should not; it is not stored. */
    record Failed(RuntimeException error) implements Outcome {

        @Override
        public int waiting() {
            return 0;
        }
    }

    /**
     * @throws Problem if it was refused
     */
    default Done orThrow() {
        return switch (this) {
            case Done done -> done;
            case Refused refused -> throw refused.problem().underLease(refused.waiting());
            case Failed failed -> throw failed.error();
        };
    }
}

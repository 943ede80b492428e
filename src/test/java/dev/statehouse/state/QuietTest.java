package dev.statehouse.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuietTest {

    private final Quiet quiet = new Quiet();

    /** What else is asked before it is tried again. */
    private int passedOver() {
        int passedOver = 0;
        while (!quiet.isWorthATry()) {
            passedOver++;
        }
        return passedOver;
    }

    private int passedOverAfter(boolean was) {
        quiet.was(was);
        return passedOver();
    }

    @Test
    void itIsTriedEachTimeWhileItIsQuiet() {
        assertThat(passedOver()).isZero();
        assertThat(passedOverAfter(true)).isZero();
        assertThat(passedOverAfter(true)).isZero();
    }

    @Test
    void itIsTriedLessAndLessWhileItIsNot() {
        for (int passedOver : new int[]{1, 3, 7, 15, 31, 63, 63, 63}) {
            assertThat(passedOverAfter(false)).isEqualTo(passedOver);
        }
        assertThat(passedOverAfter(true)).isZero();
        assertThat(passedOverAfter(false)).as("as at first").isEqualTo(1);
    }
}

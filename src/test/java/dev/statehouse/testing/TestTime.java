package dev.statehouse.testing;

import java.time.Duration;

import dev.statehouse.ledger.Time;

/** Real time, which a test can move on: for this process alone, as for one that was stopped. */
public final class TestTime implements Time {

    private volatile long ahead;

    @Override
    public long nanos() {
        return System.nanoTime() + ahead;
    }

    @Override
    public void sleep(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            throw Time.interrupted();
        }
    }

    public void jump(Duration by) {
        ahead += by.toNanos();
    }
}

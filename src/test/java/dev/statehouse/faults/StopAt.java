package dev.statehouse.faults;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Holds statements fast at chosen points, one an id, until the instance that sent them is stopped. What was on its way
 * before the point is held until that instance goes on again, as if it had been stopped before it could send; what had
 * been answered is answered while it stands still.
 */
final class StopAt implements Fault {

    private static final long LONGEST_SECONDS = 60;

    private final Map<String, Point> points = new ConcurrentHashMap<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);

    /** The n-th statement of that kind, or of any kind (null), that names an id: before or after ClickHouse has it. */
    static final class Point {

        private final Statement.@Nullable Step step;
        private final int number;
        private final boolean after;
        private final AtomicInteger count = new AtomicInteger();
        private final CountDownLatch reached = new CountDownLatch(1);
        private volatile String where = "";

        Point(Statement.@Nullable Step step, int number, boolean after) {
            this.step = step;
            this.number = number;
            this.after = after;
        }

        int number() {
            return number;
        }

        boolean awaitReached(long millis) throws InterruptedException {
            return reached.await(millis, TimeUnit.MILLISECONDS);
        }

        boolean isReached() {
            return reached.getCount() == 0;
        }

        @Override
        public String toString() {
            return (after ? "after " : "before ") + number + (isReached() ? ", " + where : "");
        }
    }

    void hold(String id, Point point) {
        points.put(id, point);
    }

    /** The instance stands still. */
    void stopped() {
        stopped.countDown();
    }

    /** The instance goes on. */
    void goesOn() {
        goesOn.countDown();
    }

    @Override
    public Fate before(Statement statement) throws InterruptedException {
        if (isReached(statement, false)) {
            goesOn.await(LONGEST_SECONDS, TimeUnit.SECONDS);
        }
        return Fate.PASS;
    }

    @Override
    public void after(Statement statement) throws InterruptedException {
        if (isReached(statement, true)) {
            stopped.await(LONGEST_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** A statement for several ids comes to the points of all of them. */
    private boolean isReached(Statement statement, boolean after) {
        boolean reached = false;
        for (Map.Entry<String, Point> entry : points.entrySet()) {
            reached |= entry.getValue().after == after && isThere(entry.getKey(), entry.getValue(), statement);
        }
        return reached;
    }

    private static boolean isThere(String id, Point point, Statement statement) {
        if (statement.names(id) && (point.step == null || point.step == statement.step())
                && point.count.incrementAndGet() == point.number) {
            point.where = statement.step().toString();
            point.reached.countDown();
            return true;
        }
        return false;
    }
}

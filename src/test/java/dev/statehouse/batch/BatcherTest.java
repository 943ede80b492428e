package dev.statehouse.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.statehouse.problem.Unavailable;
import dev.statehouse.trace.Spans;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job that comes alone is begun at once, and what comes meanwhile is one batch. */
@Timeout(30)
class BatcherTest {

    private static final BatchLimits LIMITS = limits(Duration.ofHours(1));

    private static BatchLimits limits(Duration slow) {
        return new BatchLimits(1, 2, slow, Duration.ofSeconds(1), 10, 10, 100, 50, 4, 1_000, Duration.ofMinutes(1));
    }

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final BlockingQueue<List<TestJob>> begun = new LinkedBlockingQueue<>();
    private final CountDownLatch goOn = new CountDownLatch(1);

    private Batcher<TestJob> batcher(java.util.function.Function<List<TestJob>, List<TestJob>> work) {
        return new Batcher<>("tests", LIMITS, work, new BatchMeters(registry, Spans.NONE));
    }

    private List<TestJob> hold(List<TestJob> jobs) {
        begun.add(jobs);
        try {
            goOn.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        jobs.forEach(job -> job.end().complete("done"));
        return List.of();
    }

    private List<TestJob> nextBegun() throws InterruptedException {
        List<TestJob> jobs = begun.poll(20, TimeUnit.SECONDS);
        assertThat(jobs).as("a batch is begun").isNotNull();
        return jobs;
    }

    @Test
    void whatComesMeanwhileIsOneBatch() throws Exception {
        Batcher<TestJob> batcher = batcher(this::hold);
        TestJob first = TestJob.of("first", "1");
        batcher.submit(first);
        assertThat(nextBegun()).containsExactly(first);
        TestJob second = TestJob.of("second", "2");
        TestJob third = TestJob.of("third", "3");
        batcher.submit(second);
        batcher.submit(third);
        assertThat(registry.get("statehouse.batch.queued").tag("queue", "tests").gauge().value()).isEqualTo(2);
        goOn.countDown();
        assertThat(nextBegun()).containsExactly(second, third);
        assertThat(third.end().get(20, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(registry.get("statehouse.batch.size").summary().max()).isEqualTo(2);
        assertThat(registry.get("statehouse.batch.wait").timer().count()).isEqualTo(2);
    }

    /** Else the first of them would go alone, and the others wait for that. */
    @Test
    void callersOfABatchAreWaitedForAMoment() throws Exception {
        Batcher<TestJob> batcher = batcher(jobs -> {
            if (jobs.size() == 2) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(900));
            }
            return hold(jobs);
        });
        batcher.submit(TestJob.of("first", "1"));
        nextBegun();
        TestJob second = TestJob.of("second", "2");
        batcher.submit(second);
        batcher.submit(TestJob.of("third", "3"));
        goOn.countDown();
        assertThat(nextBegun()).hasSize(2);
        second.end().get(20, TimeUnit.SECONDS);
        TestJob fourth = TestJob.of("fourth", "4");
        TestJob fifth = TestJob.of("fifth", "5");
        batcher.submit(fourth);
        batcher.submit(fifth);
        assertThat(nextBegun()).containsExactly(fourth, fifth);
    }

    @Test
    void oneThatDoesNotEndHoldsUpTheOthersForAMomentOnly() throws Exception {
        Batcher<TestJob> batcher = new Batcher<>("tests", limits(Duration.ofMillis(40)), this::hold,
                new BatchMeters(registry, Spans.NONE));
        batcher.submit(TestJob.of("hangs", "1"));
        nextBegun();
        TestJob second = TestJob.of("second", "2");
        batcher.submit(second);
        assertThat(nextBegun()).containsExactly(second);
        goOn.countDown();
    }

    @Test
    void whatIsNotTakenInIsCounted() throws Exception {
        Batcher<TestJob> batcher = batcher(this::hold);
        batcher.submit(TestJob.of("first", "1"));
        nextBegun();
        for (int i = 2; i < 6; i++) {
            batcher.submit(TestJob.of("waits", "" + i));
        }
        assertThatThrownBy(() -> batcher.submit(TestJob.of("sixth", "6"))).isInstanceOf(Unavailable.class);
        assertThat(registry.get("statehouse.batch.refused").counter().count()).isEqualTo(1);
        goOn.countDown();
    }

    @Test
    void whatFailsFailsItsOwnBatchAlone() throws Exception {
        Batcher<TestJob> batcher = batcher(jobs -> {
            if (jobs.getFirst().name().equals("bad")) {
                throw new IllegalStateException("broken");
            }
            return hold(jobs);
        });
        TestJob bad = TestJob.of("bad", "1");
        batcher.submit(bad);
        assertThat(bad.end().get(20, TimeUnit.SECONDS)).isEqualTo("failed: broken");
        goOn.countDown();
        TestJob good = TestJob.of("good", "1");
        batcher.submit(good);
        assertThat(good.end().get(20, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @Test
    void whatLosesGoesAgain() throws Exception {
        goOn.countDown();
        int[] rounds = new int[1];
        Batcher<TestJob> batcher = batcher(jobs -> ++rounds[0] < 3 ? jobs : hold(jobs));
        TestJob job = TestJob.of("loses twice", "1");
        batcher.submit(job);
        assertThat(job.end().get(20, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(rounds[0]).isEqualTo(3);
    }
}

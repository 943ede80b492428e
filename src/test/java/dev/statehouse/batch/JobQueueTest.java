package dev.statehouse.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;

import dev.statehouse.problem.Unavailable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which jobs make up the next batch. */
class JobQueueTest {

    private static final Duration FOREVER = Duration.ofHours(1);
    private static final BatchLimits LIMITS = new BatchLimits(1, 1, FOREVER, Duration.ZERO, 4, 2, 100, 50, 8, 1_000,
            Duration.ofMinutes(1));

    private final JobQueue<TestJob> queue = new JobQueue<>(LIMITS);

    private TestJob add(TestJob job) {
        queue.add(job);
        return job;
    }

    private void addAll(String... names) {
        for (String name : names) {
            add(TestJob.of(name, name));
        }
    }

    private List<String> next() {
        return names(queue.next());
    }

    private static List<String> names(Batch<TestJob> batch) {
        return batch.jobs().stream().map(TestJob::name).toList();
    }

    @Test
    void aBatchIsWhatWaitsInOrderUpToItsSize() {
        addAll("a", "b", "c", "d", "e");
        Batch<TestJob> first = queue.next();
        assertThat(names(first)).containsExactly("a", "b", "c", "d");
        assertThat(next()).as("one at a time").isEmpty();
        queue.done(first, List.of());
        assertThat(next()).containsExactly("e");
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void jobsOfAKeyThatIsUnderWayWaitAndKeepTheirOrder() {
        JobQueue<TestJob> two = new JobQueue<>(
                new BatchLimits(2, 2, FOREVER, Duration.ZERO, 4, 2, 100, 50, 8, 1_000, Duration.ofMinutes(1)));
        two.add(TestJob.of("a1", "a"));
        Batch<TestJob> first = two.next();
        two.add(TestJob.large("ab", 1, 1, "a", "b"));
        two.add(TestJob.of("b1", "b"));
        two.add(TestJob.of("c1", "c"));
        assertThat(names(two.next())).as("b1 came after one that waits for a").containsExactly("c1");
        two.done(first, List.of());
        assertThat(names(two.next())).containsExactly("ab", "b1");
    }

    @Test
    void oneHotKeyDoesNotTakeAllOfABatch() {
        for (String name : List.of("h1", "h2", "h3")) {
            add(TestJob.of(name, "hot"));
        }
        addAll("x", "y", "z");
        Batch<TestJob> first = queue.next();
        assertThat(names(first)).containsExactly("h1", "h2", "x", "y");
        queue.done(first, List.of());
        assertThat(next()).containsExactly("h3", "z");
    }

    /** A batch holds 4, and 8 may wait. */
    @Test
    void thoseAreWaitedForWhoCanComeBack() {
        addAll("a", "b", "c");
        Batch<TestJob> three = queue.next();
        assertThat(queue.wantedAfter(three, List.of())).isEqualTo(3);
        addAll("d");
        assertThat(queue.wantedAfter(three, List.of())).isEqualTo(4);
        addAll("e");
        assertThat(queue.wantedAfter(three, List.of())).as("more than a batch holds").isEqualTo(4);
        assertThat(queue.wantedAfter(three, three.jobs().subList(0, 1))).isEqualTo(4);
        assertThat(queue.wantedAfter(three, three.jobs().subList(0, 2))).as("one caller").isZero();
        add(TestJob.large("import", 2, 10, "i"));
        add(TestJob.large("more of it", 2, 10, "j"));
        Batch<TestJob> large = queue.next();
        assertThat(names(large)).containsExactly("import", "more of it");
        assertThat(queue.wantedAfter(large, List.of())).as("of large jobs").isZero();
    }

    @Test
    void largeJobsGoBesideTheOthersOneBatchAtATime() {
        add(TestJob.large("import", 9, 10, "i"));
        addAll("a");
        add(TestJob.large("big", 1, 60, "g"));
        add(TestJob.large("huge", 1, 60, "h"));
        Batch<TestJob> first = queue.next();
        assertThat(names(first)).containsExactly("import");
        assertThat(first.size()).isEqualTo(9);
        assertThat(next()).containsExactly("a");
        assertThat(next()).isEmpty();
        queue.done(first, List.of());
        assertThat(next()).as("a batch holds 100 bytes").containsExactly("big");
    }

    @Test
    void whatIsToBeDoneAgainComesFirst() {
        addAll("a", "b", "c");
        Batch<TestJob> first = queue.next();
        addAll("d");
        queue.done(first, first.jobs().subList(1, 3));
        assertThat(next()).containsExactly("b", "c", "d");
    }

    @Test
    void noMoreWaitThanAreTakenIn() {
        for (int i = 0; i < 8; i++) {
            addAll("j" + i);
        }
        TestJob one = TestJob.of("one too many", "k");
        assertThatThrownBy(() -> queue.add(one)).isInstanceOf(Unavailable.class).hasMessageContaining("More calls");
        queue.next();
        queue.add(one);
        assertThat(queue.waiting()).isEqualTo(5);
    }

    @Test
    void halfOfThemMayHaveTheSameKey() {
        for (int i = 0; i < 4; i++) {
            add(TestJob.of("h" + i, "hot"));
        }
        assertThatThrownBy(() -> add(TestJob.of("h4", "hot"))).isInstanceOf(Unavailable.class)
                .hasMessageContaining("same state");
        addAll("other");
        queue.next();
        add(TestJob.of("h4", "hot"));
    }

    @Test
    void bytesAreBoundedButOneIsAlwaysTakenIn() {
        add(TestJob.large("more than all", 1, 2_000, "a"));
        assertThatThrownBy(() -> addAll("b")).isInstanceOf(Unavailable.class);
        Batch<TestJob> first = queue.next();
        queue.done(first, first.jobs());
        assertThatThrownBy(() -> addAll("b")).as("it waits again").isInstanceOf(Unavailable.class);
        queue.next();
        addAll("b");
    }

    /** A hundred reads of states of 2 MB: what comes of them is large, they are not. */
    @Test
    void readsOfLargeStatesMayWait() {
        JobQueue<TestJob> reads = new JobQueue<>(TestBatches.PROPERTIES.forReads(Duration.ofMinutes(1)));
        for (int i = 0; i < 100; i++) {
            reads.add(TestJob.large("r" + i, 1, 2 * 1024 * 1024));
        }
        assertThat(names(reads.next())).as("8 MiB in a batch").hasSize(4);
        JobQueue<TestJob> writes = new JobQueue<>(TestBatches.PROPERTIES.forWrites());
        for (int i = 0; i < 32; i++) {
            writes.add(TestJob.large("w" + i, 1, 2 * 1024 * 1024, "k" + i));
        }
        assertThatThrownBy(() -> writes.add(TestJob.of("w", "k"))).isInstanceOf(Unavailable.class);
    }

    @Test
    void whatWaitedForTooLongIsRefused() {
        JobQueue<TestJob> hasty = new JobQueue<>(
                new BatchLimits(1, 1, FOREVER, Duration.ZERO, 4, 2, 100, 50, 8, 1_000, Duration.ofNanos(-1)));
        TestJob late = TestJob.of("late", "a");
        hasty.add(late);
        assertThat(hasty.next().isEmpty()).isTrue();
        assertThat(late.end()).isCompletedWithValue("refused: overloaded");
        assertThat(hasty.waiting()).isZero();
    }

    @Test
    void whileBatchesAreSlowMoreOfThemAreBegun() {
        JobQueue<TestJob> slow = new JobQueue<>(
                new BatchLimits(1, 2, Duration.ZERO, Duration.ZERO, 1, 2, 100, 50, 8, 1_000, Duration.ofMinutes(1)));
        for (String name : List.of("a", "b", "c")) {
            slow.add(TestJob.of(name, name));
        }
        Batch<TestJob> first = slow.next();
        assertThat(names(slow.next())).containsExactly("b");
        assertThat(slow.next().isEmpty()).as("two at the most").isTrue();
        slow.done(first, List.of());
        assertThat(names(slow.next())).containsExactly("c");
    }

    @Test
    void aloneEachJobIsABatchAndNoneWaitsButForItsKey() {
        JobQueue<TestJob> alone = new JobQueue<>(LIMITS.alone());
        for (String name : List.of("a1", "a2", "b1")) {
            alone.add(TestJob.of(name, name.substring(0, 1)));
        }
        assertThat(names(alone.next())).containsExactly("a1");
        assertThat(names(alone.next())).containsExactly("b1");
        assertThat(alone.next().isEmpty()).isTrue();
    }

    static LongStream seeds() {
        long fresh = System.nanoTime();
        System.out.println("JobQueueTest: seeds 1 to 50, and 50 from " + fresh);
        return LongStream.concat(LongStream.rangeClosed(1, 50), LongStream.range(fresh, fresh + 50));
    }

    /** Whatever comes in whatever order: nothing is lost or done twice, and what shares a key is done in turn. */
    @ParameterizedTest
    @MethodSource("seeds")
    void everyJobIsDoneOnceInTheOrderOfItsKeys(long seed) {
        Random random = new Random(seed);
        JobQueue<TestJob> mixed = new JobQueue<>(
                new BatchLimits(1 + random.nextInt(3), 4, FOREVER, Duration.ZERO, 1 + random.nextInt(6),
                        1 + random.nextInt(3), 100,
                        50, 10_000,
                        1_000_000, Duration.ofMinutes(1)));
        List<Batch<TestJob>> underWay = new ArrayList<>();
        Map<String, Integer> lastByKey = new HashMap<>();
        Set<String> done = new HashSet<>();
        int made = 0;
        int left = 200;
        while (left > 0) {
            if (made < 200 && random.nextInt(3) > 0) {
                List<String> keys = random.ints(1 + random.nextInt(3), 0, 6).distinct().mapToObj(k -> "k" + k).toList();
                mixed.add(TestJob.large(Integer.toString(made++), 1 + random.nextInt(20) / 19 * 5, random.nextInt(60),
                        keys.toArray(String[]::new)));
            }
            Batch<TestJob> batch = mixed.next();
            if (!batch.isEmpty()) {
                Set<String> busy = new HashSet<>();
                underWay.forEach(other -> other.jobs().forEach(job -> busy.addAll(job.keys())));
                assertThat(batch.jobs()).allSatisfy(job -> assertThat(busy).doesNotContainAnyElementsOf(job.keys()));
                underWay.add(batch);
            }
            if (!underWay.isEmpty() && random.nextInt(3) == 0) {
                Batch<TestJob> ends = underWay.remove(random.nextInt(underWay.size()));
                int kept = random.nextInt(ends.jobs().size() + 1);
                for (TestJob job : ends.jobs().subList(0, kept)) {
                    assertThat(done.add(job.name())).as("once").isTrue();
                    for (String key : job.keys()) {
                        Integer last = lastByKey.put(key, Integer.parseInt(job.name()));
                        assertThat(last == null ? -1 : last).as("before it").isLessThan(Integer.parseInt(job.name()));
                    }
                    left--;
                }
                mixed.done(ends, ends.jobs().subList(kept, ends.jobs().size()));
            }
        }
        assertThat(mixed.waiting()).isZero();
    }
}

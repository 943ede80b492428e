package bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * How long some calls took.
 *
 * @param sorted in nanoseconds, shortest first
 */
record Timings(long[] sorted) {

    /** Something to be timed, by the number of the client and of the call. */
    @FunctionalInterface
    interface Call {

        void run(int client, int number) throws Exception;
    }

    static Timings of(int clients, int calls, Call call) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<long[]>> futures = new ArrayList<>();
            for (int c = 0; c < clients; c++) {
                int client = c;
                Callable<long[]> loop = () -> loop(client, calls, call);
                futures.add(threads.submit(loop));
            }
            List<Long> all = new ArrayList<>();
            for (Future<long[]> future : futures) {
                Arrays.stream(future.get()).forEach(all::add);
            }
            return new Timings(all.stream().mapToLong(Long::longValue).sorted().toArray());
        }
    }

    /** Of several things that one client does in turns. */
    static List<Timings> taking(int turns, int calls, Call... each) throws Exception {
        List<List<Long>> nanos = Arrays.stream(each).<List<Long>>map(call -> new ArrayList<>()).toList();
        for (int turn = 0; turn < turns; turn++) {
            for (int i = 0; i < each.length; i++) {
                Arrays.stream(loop(0, calls, each[i])).forEach(nanos.get(i)::add);
            }
        }
        return nanos.stream()
                .map(all -> new Timings(all.stream().mapToLong(Long::longValue).sorted().toArray()))
                .toList();
    }

    private static long[] loop(int client, int calls, Call call) throws Exception {
        long[] nanos = new long[calls];
        for (int i = 0; i < calls; i++) {
            long start = System.nanoTime();
            call.run(client, i);
            nanos[i] = System.nanoTime() - start;
        }
        return nanos;
    }

    /** In milliseconds. */
    double quantile(double q) {
        return sorted[(int) Math.min(sorted.length - 1, Math.floor(q * sorted.length))] / 1e6;
    }

    double p50() {
        return quantile(0.50);
    }

    double p99() {
        return quantile(0.99);
    }
}

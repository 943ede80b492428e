package bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Some clients that each send one call after the other for a while.
 *
 * @param timings how long each call took
 * @param perSecond calls answered in a second
 */
record Load(Timings timings, double perSecond) {

    /** One call of a client over its connection. */
    @FunctionalInterface
    interface Call {

        void run(Wire wire, int client, int number) throws Exception;
    }

    /** Ends by itself after that time. */
    static Load of(String base, int clients, Duration time, Call call) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        long start = System.nanoTime();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<long[]>> all = new ArrayList<>();
            for (int c = 0; c < clients; c++) {
                int client = c;
                Callable<long[]> loop = () -> loop(base, client, end, call);
                all.add(threads.submit(loop));
            }
            List<long[]> parts = new ArrayList<>();
            for (Future<long[]> each : all) {
                parts.add(each.get());
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            long[] nanos = parts.stream().flatMapToLong(Arrays::stream).sorted().toArray();
            return new Load(new Timings(nanos), nanos.length / seconds);
        }
    }

    private static long[] loop(String base, int client, long end, Call call) throws Exception {
        long[] nanos = new long[1024];
        int n = 0;
        try (Wire wire = new Wire(base)) {
            for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
                call.run(wire, client, n);
                nanos = n == nanos.length ? Arrays.copyOf(nanos, 2 * n) : nanos;
                nanos[n++] = System.nanoTime() - start;
            }
        }
        return Arrays.copyOf(nanos, n);
    }
}

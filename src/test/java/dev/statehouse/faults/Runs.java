package dev.statehouse.faults;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to try. {@code -Dstatehouse.faults.rounds=20} makes each test try 20 times as much, 0.1 a tenth;
 * {@code -Dstatehouse.faults.seed=…} repeats the choices of an earlier run, though not its timing.
 */
final class Runs {

    private static final double FACTOR = Double.parseDouble(System.getProperty("statehouse.faults.rounds", "1"));
    private static final long SEED = Long.getLong("statehouse.faults.seed", ThreadLocalRandom.current().nextLong());

    private Runs() {}

    static int times(int usual) {
        return (int) Math.max(1, Math.round(usual * FACTOR));
    }

    @SuppressWarnings("SystemOut")
    static long seed(String test) {
        System.out.println(test + ": -Dstatehouse.faults.seed=" + SEED + " -Dstatehouse.faults.rounds=" + FACTOR);
        return SEED;
    }

    @SuppressWarnings("SystemOut")
    static void say(String line) {
        System.out.println(line);
    }
}

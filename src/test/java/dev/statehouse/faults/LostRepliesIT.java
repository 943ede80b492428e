package dev.statehouse.faults;

import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A bad line between the instances and ClickHouse: requests and answers are lost, doubled and late. */
@Isolated
class LostRepliesIT {

    private final Fleet fleet = Fleet.shared();
    private final History history = new History();

    /** Some of all that passes; an INSERT more often than a question. */
    private static Fault badLine(Random random) {
        return new Fault() {

            private synchronized int roll() {
                return random.nextInt(100);
            }

            @Override
            public Fate before(Statement statement) throws InterruptedException {
                int roll = roll();
                if (roll < 10) {
                    Thread.sleep(roll * 15L);
                }
                return switch (statement.isInsert() ? roll() : roll() + 10) {
                    case 0, 1, 2, 3 -> Fate.LOSE_ANSWER;
                    case 4, 5 -> Fate.CUT_ANSWER;
                    case 6, 7, 10 -> Fate.LOSE_REQUEST;
                    case 11, 12, 13, 14, 15, 16 -> statement.isInsert() ? Fate.TWICE : Fate.PASS;
                    default -> Fate.PASS;
                };
            }

            @Override
            public void after(Statement statement) throws InterruptedException {
                int roll = roll();
                if (roll < 10) {
                    Thread.sleep(roll * 15L);
                }
            }
        };
    }

    @Test
    void allThatIsAnsweredHoldsAllTheSame() throws Exception {
        long seed = Runs.seed("lost replies");
        fleet.proxy(0).let(badLine(new Random(seed)));
        fleet.proxy(1).let(badLine(new Random(seed + 1)));
        MixedLoad load = new MixedLoad("lost-" + System.nanoTime(), fleet::base, history, seed);
        load.during(Duration.ofSeconds(Runs.times(8)), () -> null);
        Runs.say(history.summary());
        history.check();
    }
}

package dev.statehouse.faults;

import java.util.Random;

/**
 * Something happens to some of all that passes: it is late, lost on its way there or back, cut in the middle of its
 * answer, or doubled; an INSERT more often than a question.
 */
final class BadLine implements Fault {

    private final Random random;

    BadLine(long seed) {
        this.random = new Random(seed);
    }

    @Override
    public Fate before(Statement statement) throws InterruptedException {
        linger();
        return statement.isInsert() ? ofInsert(roll()) : ofQuestion(roll());
    }

    private static Fate ofInsert(int roll) {
        return switch (roll) {
            case 0, 1, 2, 3 -> Fate.LOSE_ANSWER;
            case 4, 5 -> Fate.CUT_ANSWER;
            case 6, 7, 8 -> Fate.LOSE_REQUEST;
            case 9, 10, 11, 12, 13, 14 -> Fate.TWICE;
            default -> Fate.PASS;
        };
    }

    private static Fate ofQuestion(int roll) {
        return switch (roll) {
            case 0 -> Fate.LOSE_ANSWER;
            case 1 -> Fate.CUT_ANSWER;
            case 2 -> Fate.LOSE_REQUEST;
            case 3 -> Fate.TWICE;
            default -> Fate.PASS;
        };
    }

    @Override
    public void after(Statement statement) throws InterruptedException {
        linger();
    }

    private void linger() throws InterruptedException {
        int roll = roll();
        if (roll < 10) {
            Thread.sleep(roll * 15L);
        }
    }

    private synchronized int roll() {
        return random.nextInt(100);
    }
}

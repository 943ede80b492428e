package dev.statehouse.ledger;

import java.util.Comparator;

/**
 * Where a row stands in the log. All rows of one block become visible at once, and never before those of a lower block.
 *
 * @param block the number of the INSERT: {@code _block_number}
 * @param offset the row in that INSERT: {@code _block_offset}
 */
public record Position(long block, long offset) implements Comparable<Position> {

    private static final Comparator<Position> ORDER = Comparator.comparingLong(Position::block)
            .thenComparingLong(Position::offset);

    @Override
    public int compareTo(Position other) {
        return ORDER.compare(this, other);
    }
}

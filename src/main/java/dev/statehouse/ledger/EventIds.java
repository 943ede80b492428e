package dev.statehouse.ledger;

/** Makes names that nobody else makes. */
@FunctionalInterface
public interface EventIds {

    String next();
}

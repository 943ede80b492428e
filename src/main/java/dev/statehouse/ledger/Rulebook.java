package dev.statehouse.ledger;

/** Which rules fold the log. The mark in each ledger names them, so that two versions never fold side by side. */
public final class Rulebook {

    /** Changes with every change of {@link Fold}'s rules or of the text of a snapshot. */
    public static final long VERSION = 1;

    private Rulebook() {}
}

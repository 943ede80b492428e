package dev.statehouse.problem;

/** What the caller sent, or what would come of it, is over a limit. */
public final class TooLarge extends Problem {

    public TooLarge(String detail) {
        super(ProblemCode.TOO_LARGE, detail, null);
    }
}

package dev.statehouse.problem;

/** What the caller sends does not come, or too slowly. */
public final class TooSlow extends Problem {

    public TooSlow(String detail) {
        super(ProblemCode.REQUEST_TIMEOUT, detail, null);
    }
}

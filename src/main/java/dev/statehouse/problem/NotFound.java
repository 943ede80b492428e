package dev.statehouse.problem;

/** What the caller names is not there. */
public final class NotFound extends Problem {

    public NotFound(ProblemCode code, String detail) {
        super(code, detail, null);
    }
}

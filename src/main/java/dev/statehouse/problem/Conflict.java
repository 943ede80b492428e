package dev.statehouse.problem;

/** What is stored or held does not allow the call. */
public final class Conflict extends Problem {

    public Conflict(ProblemCode code, String detail) {
        super(code, detail, null);
    }
}

package dev.statehouse.problem;

/** A precondition of the caller does not hold. */
public final class VersionMismatch extends Problem {

    public VersionMismatch(String detail) {
        super(ProblemCode.VERSION_MISMATCH, detail, null);
    }
}

package dev.statehouse.web;

import dev.statehouse.problem.ProblemCode;

/** The HTTP status of each code, and the code that says best what a bare status means. */
final class ProblemStatus {

    private ProblemStatus() {}

    static int of(ProblemCode code) {
        return switch (code) {
            case BAD_REQUEST, INVALID_PATH, INVALID_PARAMETER, UNKNOWN_PARAMETER, INVALID_HEADER, NOT_JSON -> 400;
            case UNAUTHENTICATED, INVALID_TOKEN, TOKEN_EXPIRED -> 401;
            case FORBIDDEN -> 403;
            case NOT_FOUND, STATE_NOT_FOUND, NOT_LOCKED -> 404;
            case METHOD_NOT_ALLOWED -> 405;
            case NOT_ACCEPTABLE -> 406;
            case REQUEST_TIMEOUT -> 408;
            case LOCK_LOST, FENCING_TOKEN_MISMATCH, STORED_STATE_UNREADABLE -> 409;
            case VERSION_MISMATCH -> 412;
            case TOO_LARGE -> 413;
            case UNSUPPORTED_MEDIA_TYPE -> 415;
            case INVALID_STATE_ID, INVALID_BODY, NOT_AN_OBJECT, DUPLICATE_KEY, JSON_LIMIT, NOT_SINGER_STATE,
                    EMPTY_STATE, WOULD_ERASE_STATE, SAME_STATE, INVALID_IMPORT ->
                422;
            case LOCKED -> 423;
            case HEADERS_TOO_LARGE -> 431;
            case INTERNAL_ERROR -> 500;
            case CLICKHOUSE_UNAVAILABLE, WRITE_UNCONFIRMED, OVERLOADED, ISSUER_UNAVAILABLE -> 503;
        };
    }

    /**
     * For errors that the server itself finds, where there is a status alone. What Tomcat calls 501 is a body in a framing
     * that it does not know, what it calls 505 a request line with another version of HTTP: both are no HTTP as it is
     * taken here, and no fault of the service.
     */
    static ProblemCode codeOf(int status) {
        return switch (status) {
            case 401 -> ProblemCode.UNAUTHENTICATED;
            case 403 -> ProblemCode.FORBIDDEN;
            case 404 -> ProblemCode.NOT_FOUND;
            case 405 -> ProblemCode.METHOD_NOT_ALLOWED;
            case 501, 505 -> ProblemCode.BAD_REQUEST;
            case 406 -> ProblemCode.NOT_ACCEPTABLE;
            case 408 -> ProblemCode.REQUEST_TIMEOUT;
            case 413 -> ProblemCode.TOO_LARGE;
            case 415 -> ProblemCode.UNSUPPORTED_MEDIA_TYPE;
            case 414, 431 -> ProblemCode.HEADERS_TOO_LARGE;
            case 503 -> ProblemCode.OVERLOADED;
            default -> status < 500 ? ProblemCode.BAD_REQUEST : ProblemCode.INTERNAL_ERROR;
        };
    }
}

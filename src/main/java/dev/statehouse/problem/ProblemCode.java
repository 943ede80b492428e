package dev.statehouse.problem;

/** What went wrong, as a stable word that programs may test. Finer than an HTTP status, and never renamed. */
public enum ProblemCode {

    /** The request line, a header or the framing of the request is not HTTP as this service takes it. */
    BAD_REQUEST("bad-request"),
    /** The path holds a bad percent escape, or bytes that are not UTF-8. */
    INVALID_PATH("invalid-path"),
    /** A query parameter has a value out of its range, is given twice, or is missing. */
    INVALID_PARAMETER("invalid-parameter"),
    /** A query parameter that this call does not know. */
    UNKNOWN_PARAMETER("unknown-parameter"),
    /** A header has a value that cannot be read, or a required header is missing. */
    INVALID_HEADER("invalid-header"),
    /** The body is not JSON in UTF-8. */
    NOT_JSON("not-json"),

    /** The call has no token, and needs one. */
    UNAUTHENTICATED("unauthenticated"),
    /** The token is none that this service knows, or takes. */
    INVALID_TOKEN("invalid-token"),
    /** The token was good, and its time is over. */
    TOKEN_EXPIRED("token-expired"),
    /** The caller does not have the role that the call needs, or not for that id. */
    FORBIDDEN("forbidden"),

    /** There is no such page. */
    NOT_FOUND("not-found"),
    /** There is no state under this id. */
    STATE_NOT_FOUND("state-not-found"),
    /** Nobody holds this lock. */
    NOT_LOCKED("not-locked"),

    METHOD_NOT_ALLOWED("method-not-allowed"), NOT_ACCEPTABLE("not-acceptable"), UNSUPPORTED_MEDIA_TYPE(
            "unsupported-media-type"),

    /** The lease that the call names has ended: expired, released, broken or taken over. */
    LOCK_LOST("lock-lost"),
    /** The lock is held under another fencing token than the one that was to be broken. */
    FENCING_TOKEN_MISMATCH("fencing-token-mismatch"),
    /** The stored row is not a state: another writer left something there that is no JSON object. */
    STORED_STATE_UNREADABLE("stored-state-unreadable"),

    /** A precondition of the request does not hold. */
    VERSION_MISMATCH("version-mismatch"),

    /** The body, or the state that would come of it, is larger than the limit. */
    TOO_LARGE("too-large"),
    /** The body does not come, or too slowly. */
    REQUEST_TIMEOUT("request-timeout"),
    /** The URL or the headers are longer than the limit. */
    HEADERS_TOO_LARGE("headers-too-large"),

    /** The text is not a state id. */
    INVALID_STATE_ID("invalid-state-id"),
    /** The body is JSON, but not what this call takes. */
    INVALID_BODY("invalid-body"),
    /** A state is not a JSON object. */
    NOT_AN_OBJECT("not-an-object"),
    /** An object holds the same key twice. */
    DUPLICATE_KEY("duplicate-key"),
    /** The JSON is nested too deep, or holds a number or a key that is too long. */
    JSON_LIMIT("json-limit"),
    /** The state has no top-level {@code singer_state} object, and the call asked for one. */
    NOT_SINGER_STATE("not-singer-state"),
    /** The body holds neither half of a state. */
    EMPTY_STATE("empty-state"),
    /** The body holds neither half of a state, and a stored state would be lost by it. */
    WOULD_ERASE_STATE("would-erase-state"),
    /** Source and target are one id. */
    SAME_STATE("same-state"),
    /** Entries of an import are no states. */
    INVALID_IMPORT("invalid-import"),

    /** Somebody else holds the lock. */
    LOCKED("locked"),

    /** ClickHouse does not answer, or refuses; nothing was stored. */
    CLICKHOUSE_UNAVAILABLE("clickhouse-unavailable"),
    /** ClickHouse went away in the middle of a write: it may count, once or never. */
    WRITE_UNCONFIRMED("write-unconfirmed"),
    /** More is being asked than this instance can take, or it is shutting down; nothing was stored. */
    OVERLOADED("overloaded"),

    /** The keys to check a token with cannot be had from its issuer. */
    ISSUER_UNAVAILABLE("issuer-unavailable"),

    /** A fault of the service itself. */
    INTERNAL_ERROR("internal-error");

    private final String code;

    ProblemCode(String code) {
        this.code = code;
    }

    /** The word as it stands in answers. */
    public String code() {
        return code;
    }
}

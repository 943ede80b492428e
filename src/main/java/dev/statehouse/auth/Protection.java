package dev.statehouse.auth;

/** Whether callers have to say who they are. */
public enum Protection {

    /** Nothing is configured, so only the machine itself may call. */
    UNSAID,
    /** The operator said that anybody may call. */
    NONE,
    /** A token is asked for. */
    REQUIRED
}

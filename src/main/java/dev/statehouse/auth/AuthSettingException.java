package dev.statehouse.auth;

/** The configuration of authentication cannot be used; the start ends with the two texts and without a stack trace. */
public final class AuthSettingException extends RuntimeException {

    private final String action;

    /**
     * @param message what is wrong, naming the setting, without any secret
     * @param action what the operator may do
     */
    public AuthSettingException(String message, String action) {
        super(message);
        this.action = action;
    }

    String action() {
        return action;
    }
}

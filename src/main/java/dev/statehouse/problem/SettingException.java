package dev.statehouse.problem;

/** The configuration cannot be used; the start ends with the two texts and without a stack trace. */
public final class SettingException extends RuntimeException {

    private final String action;

    /**
     * @param message what is wrong, naming the setting, without any secret
     * @param action what the operator may do
     */
    public SettingException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** What the operator may do. */
    public String action() {
        return action;
    }
}

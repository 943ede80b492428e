package dev.statehouse.clickhouse;

/** The configuration cannot be used; the start ends with the two texts and without a stack trace. */
final class SettingException extends RuntimeException {

    private final String action;

    /**
     * @param message what is wrong, naming the setting, without any secret
     * @param action what the operator may do
     */
    SettingException(String message, String action) {
        super(message);
        this.action = action;
    }

    String action() {
        return action;
    }
}

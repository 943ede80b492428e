package dev.statehouse.clickhouse;

/** What lies under an error, for the log. */
final class Causes {

    private static final int LONGEST = 400;

    private Causes() {}

    /**
     * The innermost error. ClickHouse's own words are told only where an operator needs them: elsewhere it quotes the
     * statement, and that holds states.
     */
    static String of(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        int code = ErrorTranslator.code(error);
        String name = cause.getClass().getSimpleName();
        if (code != 0 && !ErrorTranslator.needsAnOperator(code)) {
            return name + ", code " + code;
        }
        String text = String.valueOf(cause.getMessage()).replaceAll("\\s+", " ");
        return name + ": " + (text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text);
    }
}

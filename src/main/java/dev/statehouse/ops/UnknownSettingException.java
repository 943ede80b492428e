package dev.statehouse.ops;

import java.util.List;

/** Settings that nothing reads; their values are not told, as they may be secrets. */
final class UnknownSettingException extends RuntimeException {

    private final String nearest;

    UnknownSettingException(List<String> names, String nearest) {
        super("There is no such setting: " + String.join(", ", names) + ".");
        this.nearest = nearest;
    }

    /** The known setting that is most like the first of them. */
    String nearest() {
        return nearest;
    }
}

package dev.statehouse.state;

/**
 * A JSON object kept as it was written: number text, key order and escapes stay, only white space between tokens goes.
 *
 * @param text the object's compact text
 */
public record JsonObject(String text) {

    @Override
    public String toString() {
        return text;
    }
}

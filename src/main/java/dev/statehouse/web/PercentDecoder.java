package dev.statehouse.web;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;

/** Percent-decoding that refuses what cannot be decoded, where the usual decoders guess or put a replacement. */
final class PercentDecoder {

    private PercentDecoder() {}

    /**
     * @param text a part of a request target: ASCII, percent-encoded
     * @param plusIsSpace as in a query string
     * @param code what to call it if it is not
     * @param where what the text is, for the message
     */
    static String decode(String text, boolean plusIsSpace, ProblemCode code, String where) {
        byte[] bytes = new byte[text.length()];
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                bytes[length++] = (byte) hexByte(text, i, code, where);
                i += 2;
            } else if (c == '+' && plusIsSpace) {
                bytes[length++] = ' ';
            } else {
                bytes[length++] = (byte) c;
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length)).toString();
        } catch (CharacterCodingException e) {
            throw new InvalidInput(code, "The " + where + " is not UTF-8 once its percent escapes are decoded.");
        }
    }

    private static int hexByte(String text, int at, ProblemCode code, String where) {
        int high = at + 2 < text.length() ? Character.digit(text.charAt(at + 1), 16) : -1;
        int low = at + 2 < text.length() ? Character.digit(text.charAt(at + 2), 16) : -1;
        if (high < 0 || low < 0) {
            String escape = text.substring(at, Math.min(at + 3, text.length()));
            throw new InvalidInput(code, "The " + where + " holds '" + escape
                    + "', which is no percent escape; write a percent sign as %25.");
        }
        return high << 4 | low;
    }
}

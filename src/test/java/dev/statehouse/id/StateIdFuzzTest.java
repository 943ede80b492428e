package dev.statehouse.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.jspecify.annotations.Nullable;

/** Any text, against the rule of ids as it is written down, over bytes. */
class StateIdFuzzTest {

    @FuzzTest
    void ids(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_16BE);
        StateId id = id(text);
        StateId other = id(new String(bytes, StandardCharsets.UTF_8));
        if (id != null && other != null) {
            assertThat(Integer.signum(id.compareTo(other))).isEqualTo(
                    Integer.signum(Arrays.compareUnsigned(utf8(id.value()), utf8(other.value()))));
        }
    }

    /** @return null if the text is no id */
    static @Nullable StateId id(String text) {
        boolean good = isGood(text);
        try {
            StateId id = new StateId(text);
            assertThat(good).as("taken: '%s'", text).isTrue();
            assertThat(id.value()).isEqualTo(text);
            return id;
        } catch (IllegalArgumentException refused) {
            assertThat(good).as("refused: '%s', %s", text, refused.getMessage()).isFalse();
            return null;
        }
    }

    private static boolean isGood(String text) {
        byte[] utf8 = utf8(text);
        boolean controls = false;
        for (int i = 0; i < utf8.length; i++) {
            boolean second = utf8[i] == (byte) 0xC2 && (utf8[i + 1] & 0xFF) < 0xA0;
            controls |= utf8[i] >= 0 && utf8[i] < ' ' || utf8[i] == 0x7F || second;
        }
        return utf8.length >= 1 && utf8.length <= 1024 && !controls && !text.equals(".") && !text.equals("..")
                && new String(utf8, StandardCharsets.UTF_8).equals(text);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

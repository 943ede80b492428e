package dev.statehouse.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import dev.statehouse.id.StateId;
import dev.statehouse.json.Bodies;
import dev.statehouse.json.JsonValue;
import dev.statehouse.lock.LockTokens;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.testing.Contract;
import dev.statehouse.testing.Part;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.StringNode;

/** A schema of the contract takes a text if and only if its reader does. */
class ContractValuesTest {

    private static final String ID = "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11";

    private static boolean inContract(String value, String... path) {
        Contract contract = Contract.load();
        Part part = contract.root();
        for (String name : path) {
            part = part.get(name);
        }
        assertThat(part.exists()).isTrue();
        return contract.errors(part, StringNode.valueOf(value)).isEmpty();
    }

    private static boolean isTaken(Runnable reader) {
        try {
            reader.run();
            return true;
        } catch (InvalidInput | IllegalArgumentException refused) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a b", "é🎉", "", " ", "\u3000", "\u2007", "\u00A0", "a\u0003", "a\u0085", "\u007f"})
    void owners(String text) {
        assertThat(inContract(text, "components", "schemas", "Owner")).isEqualTo(isTaken(
                () -> Bodies.text(Map.of("owner", JsonValue.parse(StringNode.valueOf(text).toString())), "owner",
                        256)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", ".", "..", "...", ".a", "", "\u0015", "a\u0085", "a/b", "a\n"})
    void ids(String text) {
        assertThat(inContract(text, "components", "schemas", "StateId")).isEqualTo(isTaken(() -> new StateId(text)));
        assertThat(inContract(text, "paths", "/states", "get", "parameters", "2", "schema"))
                .isEqualTo(text.isEmpty() || isTaken(() -> new StateId(text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {ID, "<" + ID + ">", ID + ", <" + ID + ">", ID + "\t,\t" + ID, ID + "-", "<" + ID,
            "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c1-", "3f1f8a526f0e-4c7c-9a57-0d2f6b8d1c11-", "x"})
    void lockTokens(String text) {
        assertThat(inContract(text, "components", "schemas", "LockTokens")).isEqualTo(isTaken(
                () -> LockTokens.parse(List.of(text))));
        assertThat(inContract(text, "components", "schemas", "LockToken")).isEqualTo(
                !text.contains(",") && isTaken(() -> LockTokens.parse(List.of(text))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "\"1\"", "W/\"1\"", "\"1\", W/\"x\"", "\"\"", " * ", "\"1\"\t,\"2\"", "1", "\"1",
            "\"a b\"",
            "\"\u0001\"", "\"1\" \"2\"", "*, \"1\"", "\"\u00ff\"", "\"\u0100\"", ""})
    void tags(String text) {
        for (String name : List.of("IfMatch", "IfNoneMatchRead", "IfNoneMatchWrite")) {
            assertThat(inContract(text, "components", "parameters", name, "schema")).as(name)
                    .isEqualTo(
                            isTaken(() -> EntityTags.parse("If-Match", List.of(text))));
        }
    }
}

package dev.statehouse.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.statehouse.problem.ProblemCode;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** The problems of the contract: every code of the service and no other, each under one status, each with an example. */
class ContractCodesTest {

    private final Contract contract = Contract.load();
    private final Part root = contract.root();
    private final SoftAssertions soft = new SoftAssertions();

    @Test
    void theCodesAreThoseOfTheService() {
        Set<String> codes = Arrays.stream(ProblemCode.values()).map(ProblemCode::code).collect(Collectors.toSet());
        Set<String> promised = new TreeSet<>();
        answers().forEach(answer -> promised.addAll(codes(answer)));
        assertThat(promised).isEqualTo(new TreeSet<>(codes));
        assertThat(words(root.get("components").get("schemas").get("ProblemCode").get("enum"))).isEqualTo(promised);
    }

    @Test
    void everyErrorIsAProblemWithAnExampleOfEachOfItsCodes() {
        Map<String, Set<String>> statuses = new HashMap<>();
        answers().filter(answer -> status(answer).matches("[45].*")).forEach(answer -> {
            if (answer.get("content").names().contains("application/vnd.spring-boot.actuator.v3+json")) {
                return;
            }
            soft.assertThat(answer.get("content").names())
                    .as(answer.pointer())
                    .containsExactly("application/problem+json");
            Set<String> shown = new TreeSet<>();
            for (Part example : answer.get("content").get("application/problem+json").get("examples").each()) {
                shown.add(example.get("value").text("code"));
                soft.assertThat(example.get("value").node().path("status").asString())
                        .as(example.pointer())
                        .isEqualTo(status(answer));
                soft.assertThat(example.get("value").text("type"))
                        .as(example.pointer())
                        .isEqualTo("urn:statehouse:problem:" + example.get("value").text("code"));
            }
            soft.assertThat(shown).as(answer.pointer()).isEqualTo(codes(answer));
            codes(answer).forEach(code -> statuses.computeIfAbsent(code, c -> new TreeSet<>()).add(status(answer)));
        });
        statuses.forEach((code, of) -> soft.assertThat(of).as(code).hasSize(1));
        soft.assertAll();
    }

    private static Set<String> codes(Part answer) {
        Part schema = answer.get("content").get("application/problem+json").raw("schema");
        return words(schema.raw("dependentSchemas").raw("code").raw("properties").raw("code").raw("enum"));
    }

    private static Set<String> words(Part list) {
        return list.each().stream().map(part -> part.node().asString()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** A status goes before its answer, which may stand elsewhere. */
    private final Map<String, String> statusOf = new HashMap<>();

    private String status(Part answer) {
        return statusOf.getOrDefault(answer.pointer(), "");
    }

    private Stream<Part> answers() {
        return Stream.concat(contract.operations().stream().map(o -> o.part().get("responses")),
                Stream.of(root.get("x-other-requests").get("responses")))
                .flatMap(responses -> responses.names()
                        .stream()
                        .map(status -> {
                            Part answer = responses.get(status);
                            String before = statusOf.put(answer.pointer(), status);
                            assertThat(before).as(answer.pointer()).isIn(null, status);
                            return answer;
                        }));
    }
}

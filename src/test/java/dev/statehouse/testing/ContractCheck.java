package dev.statehouse.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.DecimalNode;
import tools.jackson.databind.node.StringNode;

/** Holds an answer against the contract: status, headers, content type, body, and the code of a problem. */
public final class ContractCheck {

    private final Contract contract = Contract.load();

    /**
     * Passes where the contract allows this answer to that request.
     *
     * @throws AssertionError naming the call, the status and each thing that is not as the contract says
     */
    public void check(Answer answer) {
        Optional<Operation> operation = contract.find(answer.method(), answer.path());
        Part responses = operation.map(o -> o.part().get("responses"))
                .orElseGet(() -> contract.root().get("x-other-requests").get("responses"));
        List<String> faults = new ArrayList<>();
        Part response = responses.get(Integer.toString(answer.status()));
        if (!response.exists()) {
            faults.add("the contract knows no such status here, only " + responses.names());
        } else {
            headers(answer, response.get("headers"), faults);
            body(answer, response.get("content"), faults);
        }
        if (!faults.isEmpty()) {
            throw new AssertionError(
                    "%s (%s) is not as the contract says:%n  - %s%nHeaders: %s%nBody: %.2000s".formatted(
                            answer, operation.map(Operation::id).orElse("no call of the contract"),
                            String.join("\n  - ", faults), answer.headers(), answer.text()));
        }
    }

    private void headers(Answer answer, Part declared, List<String> faults) {
        for (String name : declared.names()) {
            Part header = declared.get(name);
            String value = answer.header(name);
            boolean wanted = header.node().path("required").asBoolean(false)
                    || answer.asked().containsKey(header.text("x-required-with"));
            if (value == null) {
                if (wanted) {
                    faults.add("the header " + name + " is missing");
                }
                continue;
            }
            contract.errors(header.raw("schema"), typed(header, value))
                    .forEach(error -> faults.add("the header " + name + " is '" + value + "'" + error));
        }
    }

    private static JsonNode typed(Part header, String value) {
        return header.get("schema").text("type").equals("integer") && value.matches("-?[0-9]+")
                ? DecimalNode.valueOf(new java.math.BigDecimal(value))
                : StringNode.valueOf(value);
    }

    private void body(Answer answer, Part content, List<String> faults) {
        String type = answer.mediaType();
        boolean none = answer.method().equals("HEAD") || !content.exists();
        if (none && answer.body().length > 0) {
            faults.add("there is a body, and should be none");
        } else if (!none && !content.names().contains(type)) {
            faults.add("the content type is '" + type + "', not one of " + content.names());
        } else if (!none && (type.endsWith("/json") || type.endsWith("+json"))) {
            json(answer, content.get(type).raw("schema"), faults);
        }
    }

    private void json(Answer answer, Part schema, List<String> faults) {
        try {
            JsonNode json = answer.json();
            contract.errors(schema, json).forEach(error -> faults.add("the body at " + error));
            Part chosen = chosen(answer, schema.raw("x-by-parameter"));
            if (chosen.exists()) {
                contract.errors(chosen, json).forEach(error -> faults.add("the body at " + error));
            }
            if (answer.mediaType().equals("application/problem+json")) {
                problem(answer, json, faults);
            }
        } catch (JacksonException e) {
            faults.add("the body is not JSON: " + e.getMessage());
        }
    }

    /** Where the shape of an answer hangs on a parameter, the contract says what holds besides. */
    private static Part chosen(Answer answer, Part choice) {
        Part named = choice.raw("values").raw(answer.parameter(choice.text("name")));
        return named.exists() ? named : choice.raw("default");
    }

    private static void problem(Answer answer, JsonNode json, List<String> faults) {
        if (json.path("status").asInt(0) != answer.status()) {
            faults.add("the body says status " + json.path("status"));
        }
        String type = "urn:statehouse:problem:" + json.path("code").asString("");
        if (!json.path("type").asString("").equals(type)) {
            faults.add("the type is " + json.path("type") + ", not " + type);
        }
    }
}

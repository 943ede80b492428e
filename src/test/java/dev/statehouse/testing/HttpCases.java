package dev.statehouse.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Runs cases that are written as data: a case is {@code {"name", "why", "steps"}}, a step {@code {"call": "METHOD /path",
 * "json"|"raw", "headers", "expect", "save", "save_header"}} or {@code {"sleep": seconds}}. {@code ${run}} is a fresh
 * prefix, {@code ${name}} what an earlier step saved. {@code expect} may hold {@code status} (one or a list),
 * {@code json} (a subset that must match), {@code same_json} (must be equal), {@code contains} and {@code lacks} (text in
 * the body), {@code header} (name: text that it holds, {@code *} for present). Every answer is held against the contract
 * as well.
 */
public final class HttpCases {

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)}");

    private final ContractClient client;
    private final Map<String, String> variables = new HashMap<>();

    private HttpCases(ContractClient client) {
        this.client = client;
        variables.put("run", "c" + UUID.randomUUID().toString().substring(0, 8));
    }

    /** A test for each case of a file on the class path, such as {@code /cases/states.json}. */
    public static Stream<DynamicTest> of(String resource, ContractClient client) {
        try (InputStream in = Objects.requireNonNull(HttpCases.class.getResourceAsStream(resource), resource)) {
            JsonNode cases = Contract.JSON.readTree(in);
            if (cases.isEmpty()) {
                throw new AssertionError(resource + " holds no case");
            }
            return StreamSupport.stream(cases.spliterator(), false)
                    .map(one -> DynamicTest.dynamicTest(one.path("name").asString(),
                            () -> new HttpCases(client).run(one)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(JsonNode one) throws InterruptedException {
        int number = 0;
        for (JsonNode step : one.path("steps")) {
            number++;
            if (step.has("sleep")) {
                Thread.sleep(Duration.ofMillis(Math.round(step.path("sleep").asDouble() * 1000)));
                continue;
            }
            String fault = step(step);
            if (fault != null) {
                throw new AssertionError("%s: step %d: %s (%s)".formatted(one.path("name").asString(), number, fault,
                        one.path("why").asString()));
            }
        }
    }

    private @Nullable String step(JsonNode step) {
        String[] call = filled(step.path("call").asString()).split(" ", 2);
        List<String> headers = new ArrayList<>();
        filled(step.path("headers")).properties()
                .forEach(header -> headers.addAll(List.of(header.getKey(), header.getValue().asString())));
        Answer answer = client.send(call[0], call[1], body(step), headers.toArray(String[]::new));
        String fault = fault(filled(step.path("expect")), answer);
        step.path("save").properties().forEach(saved -> {
            JsonNode value = answer.json();
            for (String part : saved.getValue().asString().split("\\.", -1)) {
                value = value.path(part);
            }
            variables.put(saved.getKey(), value.isString() ? value.asString() : value.toString());
        });
        step.path("save_header")
                .properties()
                .forEach(saved -> variables.put(saved.getKey(), String.valueOf(answer.header(saved.getValue()
                        .asString()))));
        return fault == null ? null : answer + ": " + fault + "; body " + answer.text();
    }

    private byte @Nullable [] body(JsonNode step) {
        if (step.has("json")) {
            return filled(step.path("json")).toString().getBytes(StandardCharsets.UTF_8);
        }
        return step.has("raw") ? filled(step.path("raw").asString()).getBytes(StandardCharsets.UTF_8) : null;
    }

    private static @Nullable String fault(JsonNode expect, Answer answer) {
        JsonNode status = expect.path("status");
        boolean asWanted = status.isMissingNode() || status.isInt() && status.asInt() == answer.status()
                || status.valueStream().anyMatch(one -> one.asInt() == answer.status());
        if (!asWanted) {
            return "want " + status;
        }
        String fault = expect.has("json") ? difference(expect.path("json"), answer.json(), false, "$") : null;
        if (fault == null && expect.has("same_json")) {
            fault = difference(expect.path("same_json"), answer.json(), true, "$");
        }
        for (JsonNode text : expect.path("contains")) {
            fault = answer.text().contains(text.asString()) ? fault : "the body lacks " + text;
        }
        for (JsonNode text : expect.path("lacks")) {
            fault = answer.text().contains(text.asString()) ? "the body holds " + text : fault;
        }
        for (Map.Entry<String, JsonNode> header : expect.path("header").properties()) {
            String got = answer.header(header.getKey());
            String want = header.getValue().asString();
            if (got == null || !want.equals("*") && !got.contains(want)) {
                fault = "the header " + header.getKey() + " is " + got + ", want " + want;
            }
        }
        return fault;
    }

    /** Where the two differ; null if they do not. Unless {@code exact}, objects may hold more than is wanted. */
    static @Nullable String difference(JsonNode want, JsonNode got, boolean exact, String at) {
        boolean alike = want.getNodeType() == got.getNodeType()
                && (!(want.isArray() || exact && want.isObject()) || want.size() == got.size());
        if (want.isNumber() && alike) {
            alike = want.isIntegralNumber() == got.isIntegralNumber()
                    && want.decimalValue().compareTo(got.decimalValue()) == 0;
        } else if (want.isValueNode() && alike) {
            alike = want.equals(got);
        }
        if (!alike) {
            return "%s: want %s, got %s".formatted(at, want, got);
        }
        String fault = null;
        for (int i = 0; i < want.size() && want.isArray() && fault == null; i++) {
            fault = difference(want.path(i), got.path(i), exact, at + "[" + i + "]");
        }
        for (Map.Entry<String, JsonNode> member : want.properties()) {
            fault = fault != null
                    ? fault
                    : difference(member.getValue(), got.path(member.getKey()), exact, at + "." + member.getKey());
        }
        return fault;
    }

    private String filled(String text) {
        return VARIABLE.matcher(text).replaceAll(match -> {
            String value = variables.get(match.group(1));
            if (value == null) {
                throw new AssertionError("nothing was saved as " + match.group(1));
            }
            return Matcher.quoteReplacement(value);
        });
    }

    private JsonNode filled(JsonNode node) {
        if (node.isString()) {
            return StringNode.valueOf(filled(node.asString()));
        } else if (node.isObject()) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            node.properties().forEach(member -> object.set(filled(member.getKey()), filled(member.getValue())));
            return object;
        } else if (node.isArray()) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            node.forEach(element -> array.add(filled(element)));
            return array;
        }
        return node;
    }
}

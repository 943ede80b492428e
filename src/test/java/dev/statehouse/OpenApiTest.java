package dev.statehouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.statehouse.testing.Contract;
import dev.statehouse.testing.Operation;
import dev.statehouse.testing.Part;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The contract in itself: well formed, complete, and true to its own schemas. Whether the service keeps it, others ask. */
class OpenApiTest {

    private static final Set<String> IN = Set.of("path", "query", "header");

    private final Contract contract = Contract.load();
    private final Part root = contract.root();
    private final SoftAssertions soft = new SoftAssertions();

    @Test
    void headIsThatOfOpenApi31() {
        assertThat(root.text("openapi")).matches("3\\.1\\.\\d+");
        assertThat(root.get("info").text("title")).isEqualTo("Statehouse");
        assertThat(root.get("info").text("version")).matches("\\d+\\.\\d+\\.\\d+");
        assertThat(root.get("info").get("license").text("identifier")).isEqualTo("Apache-2.0");
        assertThat(root.get("servers").each()).extracting(server -> server.text("url")).containsExactly("/");
        assertThat(root.names()).isSubsetOf("openapi", "info", "servers", "security", "tags", "paths", "components",
                "x-other-requests");
    }

    @Test
    void everyReferenceLeadsSomewhereAndEveryComponentIsUsed() {
        Set<String> targets = new TreeSet<>();
        walk(root, part -> {
            if (part.node().path("$ref").isString()) {
                targets.add(part.text("$ref").substring(1));
            }
        });
        targets.forEach(target -> soft.assertThat(root.node().at(target).isMissingNode()).as(target).isFalse());
        // These are referred to by their names alone.
        root.get("security")
                .each()
                .forEach(s -> s.names().forEach(n -> targets.add("/components/securitySchemes/" + n)));
        for (Part kind : root.get("components").each()) {
            kind.names().forEach(name -> soft.assertThat(targets).contains(kind.raw(name).pointer()));
        }
        soft.assertAll();
    }

    @Test
    void everyCallIsNamedAndExplained() {
        Set<String> tags = root.get("tags").each().stream().map(tag -> tag.text("name")).collect(Collectors.toSet());
        assertThat(contract.operations()).extracting(Operation::id)
                .doesNotHaveDuplicates()
                .allMatch(id -> id.matches("[a-z]+([A-Z][a-z]+)*"), "camel case");
        for (Operation o : contract.operations()) {
            soft.assertThat(o.part().text("summary")).as("%s summary", o).isNotBlank().doesNotEndWith(".");
            soft.assertThat(o.part().text("description")).as("%s description", o).isNotBlank();
            soft.assertThat(o.part().get("tags").each())
                    .as("%s tags", o)
                    .extracting(tag -> tag.node().asString())
                    .isNotEmpty()
                    .isSubsetOf(tags);
            soft.assertThat(o.part().get("responses").names())
                    .as("%s answers", o)
                    .isNotEmpty()
                    .contains("400", "431", "500")
                    .allMatch(status -> status.matches("[2-5]\\d\\d"));
            o.part()
                    .get("responses")
                    .each()
                    .forEach(r -> soft.assertThat(r.text("description"))
                            .as("%s %s", o, r.pointer())
                            .isNotBlank());
        }
        soft.assertAll();
    }

    @Test
    void everyParameterIsDescribedAndThoseOfThePathAreThere() {
        for (Operation o : contract.operations()) {
            Set<String> variables = Pattern.compile("\\{([^}]+)}")
                    .matcher(o.path())
                    .results()
                    .map(m -> m.group(1))
                    .collect(Collectors.toSet());
            soft.assertThat(o.parameters("path").keySet()).as("%s variables", o).isEqualTo(variables);
            for (Part parameter : o.part().get("parameters").each()) {
                String at = o + " " + parameter.text("name");
                soft.assertThat(parameter.text("in")).as(at).isIn(IN);
                soft.assertThat(parameter.text("description")).as(at).isNotBlank();
                soft.assertThat(parameter.raw("schema").exists()).as("%s schema", at).isTrue();
                soft.assertThat(parameter.text("in").equals("path"))
                        .as("%s required", at)
                        .isIn(false, parameter.node().path("required").asBoolean(false));
                soft.assertThat(parameterExamples(parameter)).as("%s examples", at).isNotEmpty();
            }
        }
        soft.assertAll();
    }

    /** What Swagger UI would fill in unasked stands beside the schema; what it only shows stands inside it. */
    private static List<JsonNode> parameterExamples(Part parameter) {
        boolean required = parameter.node().path("required").asBoolean(false);
        return required
                ? Stream.of(parameter.raw("example")).filter(Part::exists).map(Part::node).toList()
                : parameter.get("schema").get("examples").each().stream().map(Part::node).toList();
    }

    @Test
    void everyExampleIsWhatItsSchemaSays() {
        int[] seen = new int[1];
        walk(root, part -> {
            JsonNode schema = part.node().path("schema");
            if (!schema.isObject()) {
                return;
            }
            Stream.concat(Stream.of(part.raw("example")).filter(Part::exists),
                    Stream.concat(part.get("examples").each().stream().map(e -> e.raw("value")),
                            part.get("schema").get("examples").each().stream()))
                    .forEach(example -> {
                        seen[0]++;
                        soft.assertThat(contract.errors(part.raw("schema"), example.node()))
                                .as(example.pointer())
                                .isEmpty();
                    });
        });
        soft.assertAll();
        assertThat(seen[0]).isGreaterThan(100);
    }

    @Test
    void everyBodyHasExamples() {
        for (Operation o : contract.operations()) {
            Stream.concat(Stream.of(o.part().get("requestBody")), o.part().get("responses").each().stream())
                    .flatMap(body -> body.get("content").each().stream())
                    .forEach(content -> soft.assertThat(content.get("examples").names())
                            .as(content.pointer())
                            .isNotEmpty());
        }
        soft.assertAll();
    }

    private static void walk(Part part, Consumer<Part> visitor) {
        visitor.accept(part);
        if (part.node().isArray()) {
            for (int i = 0; i < part.node().size(); i++) {
                walk(part.raw(Integer.toString(i)), visitor);
            }
        } else if (part.node().isObject()) {
            part.names().forEach(name -> walk(part.raw(name), visitor));
        }
    }
}

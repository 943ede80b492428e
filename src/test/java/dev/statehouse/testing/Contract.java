package dev.statehouse.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.keyword.NonValidationKeyword;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** {@code openapi.yaml}, read once, with its calls and schemas. */
public final class Contract {

    /** Reads JSON without loss and refuses the same key twice; states may be deep and hold long numbers. */
    public static final JsonMapper JSON = JsonMapper
            .builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(10_000)
                            .maxNumberLength(1_000_000)
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** JSON Schema as OpenAPI 3.1 uses it; our own extension says nothing about values. */
    private static final Dialect DIALECT = Dialect.builder(Dialects.getDraft202012())
            .keyword(new NonValidationKeyword("x-by-parameter"))
            .build();

    private static final String BASE = "urn:statehouse:openapi";
    private static final Contract INSTANCE = read();

    private final Part root;
    private final List<Operation> operations = new ArrayList<>();
    private final SchemaRegistry schemas;

    private Contract(JsonNode document) {
        root = new Part(document, "", document);
        Part paths = root.get("paths");
        for (String path : paths.names()) {
            Part item = paths.get(path);
            item.names()
                    .stream()
                    .filter(Operation::isMethod)
                    .map(name -> new Operation(name.toUpperCase(Locale.ROOT), path, item.get(name)))
                    .forEach(operations::add);
        }
        schemas = SchemaRegistry.withDialect(DIALECT,
                builder -> builder.schemas(Map.of(BASE, document.toString()))
                        .schemaRegistryConfig(
                                SchemaRegistryConfig.builder().formatAssertionsEnabled(true).build()));
    }

    /** The contract that lies on the class path. */
    public static Contract load() {
        return INSTANCE;
    }

    private static Contract read() {
        try (InputStream in = Objects.requireNonNull(Contract.class.getResourceAsStream("/openapi.yaml"))) {
            return new Contract(YAMLMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build()
                    .readTree(in));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Part root() {
        return root;
    }

    public List<Operation> operations() {
        return List.copyOf(operations);
    }

    /**
     * The call that a request asks for; a HEAD that the contract does not name is its GET.
     *
     * @param rawPath as it was sent, without the query
     */
    public Optional<Operation> find(String method, String rawPath) {
        Optional<Operation> found = operations.stream().filter(o -> o.takes(method, rawPath)).findFirst();
        return found.isEmpty() && method.equals("HEAD") ? find("GET", rawPath) : found;
    }

    /** What is wrong with a value, by the schema at this place; empty if nothing is. */
    public List<String> errors(Part schema, JsonNode value) {
        return schema(schema.pointer()).validate(value)
                .stream()
                .map(error -> error.getInstanceLocation() + ": " + error.getMessage())
                .toList();
    }

    private Schema schema(String pointer) {
        return schemas.getSchema(SchemaLocation.of(BASE + "#" + pointer));
    }
}

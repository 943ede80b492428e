package dev.statehouse.testing;

import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.JsonNode;

/**
 * A place in the contract. References are followed on the way, so that the pointer is always that of the real place.
 *
 * @param root the whole document
 * @param pointer the JSON pointer of this place
 * @param node what stands there; a missing node where there is nothing
 */
public record Part(JsonNode root, String pointer, JsonNode node) {

    /** What stands under this name, or where its {@code $ref} leads. */
    public Part get(String name) {
        Part part = raw(name);
        while (part.node.path("$ref").isString()) {
            String target = part.node.get("$ref").stringValue().substring(1);
            part = new Part(root, target, root.at(target));
        }
        return part;
    }

    /** What stands under this name itself: a schema, whose references may have siblings. */
    public Part raw(String name) {
        String child = pointer + "/" + name.replace("~", "~0").replace("/", "~1");
        return new Part(root, child, root.at(child));
    }

    /** Each member of an object, or each element of a list. */
    public List<Part> each() {
        List<Part> parts = new ArrayList<>();
        if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                parts.add(get(Integer.toString(i)));
            }
        } else {
            names().forEach(name -> parts.add(get(name)));
        }
        return parts;
    }

    public List<String> names() {
        return List.copyOf(node.propertyNames());
    }

    public boolean exists() {
        return !node.isMissingNode();
    }

    /** The text under this name; empty if there is none. */
    public String text(String name) {
        return node.path(name).asString("");
    }
}

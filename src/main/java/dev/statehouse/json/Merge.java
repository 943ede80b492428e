package dev.statehouse.json;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Merges one object, the patch, onto another, the base:
 * <ol>
 * <li>Where both have an object under one key, these are merged in turn.
 * <li>Anything else, arrays and null included, is replaced by what the patch has, whatever either of them is.
 * <li>The base's keys keep their places; the patch's new keys follow in the patch's order.
 * </ol>
 * It takes one walk through each text: the patch's objects are indexed first, then the base is copied with its changes.
 */
public final class Merge {

    /**
     * Where a key and its value stand in the patch's text.
     *
     * @param members the value's own members; null if it is no object. Those that were found in the base are taken out.
     */
    private record Change(int keyStart, int valueStart, int end, @Nullable Map<String, Change> members) {}

    private final String baseText;
    private final JsonScanner base;
    private final String patchText;
    private final StringBuilder out;
    private int copied;

    private Merge(String baseText, String patchText) {
        this.baseText = baseText;
        this.base = new JsonScanner(baseText);
        this.patchText = patchText;
        this.out = new StringBuilder(baseText.length() + 16);
    }

    public static JsonObject merge(JsonObject base, JsonObject patch) {
        if (patch.isEmpty()) {
            return base;
        }
        if (base.isEmpty()) {
            return patch;
        }
        Merge merge = new Merge(base.text(), patch.text());
        merge.mergeObject(index(new JsonScanner(patch.text())));
        merge.copyBase(base.text().length());
        return new JsonObject(merge.out.toString());
    }

    private static Map<String, Change> index(JsonScanner patch) {
        Map<String, Change> changes = new LinkedHashMap<>();
        while (patch.nextMember()) {
            int keyStart = patch.position();
            String key = patch.key();
            int valueStart = patch.position();
            Map<String, Change> members = null;
            if (patch.at('{')) {
                members = index(patch);
            } else {
                patch.skipValue();
            }
            changes.put(key, new Change(keyStart, valueStart, patch.position(), members));
        }
        return changes;
    }

    private void mergeObject(Map<String, Change> changes) {
        boolean empty = true;
        while (base.nextMember()) {
            empty = false;
            Change change = changes.remove(base.key());
            if (change == null) {
                base.skipValue();
            } else if (change.members() != null && base.at('{')) {
                mergeObject(change.members());
            } else {
                copyBase(base.position());
                out.append(patchText, change.valueStart(), change.end());
                base.skipValue();
                copied = base.position();
            }
        }
        if (!changes.isEmpty()) {
            int closingBrace = base.position() - 1;
            copyBase(closingBrace);
            for (Change added : changes.values()) {
                out.append(empty ? "" : ",").append(patchText, added.keyStart(), added.end());
                empty = false;
            }
        }
    }

    private void copyBase(int to) {
        out.append(baseText, copied, to);
        copied = to;
    }
}

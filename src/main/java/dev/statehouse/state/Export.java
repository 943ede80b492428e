package dev.statehouse.state;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.json.JsonObject;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;

/** All states that match as one JSON object, as {@code meltano state export} prints it; a page is in memory at a time. */
record Export(StateStore store, Glob pattern) implements StreamedBody {

    private static final int PAGE_IDS = 1000;
    private static final long PAGE_BYTES = 8L * 1024 * 1024;

    @Override
    public void writeTo(OutputStream out) throws IOException {
        write(out, "{");
        boolean first = true;
        List<StateRow> page = store.page(pattern, null, PAGE_IDS, PAGE_BYTES);
        while (!page.isEmpty()) {
            for (StateRow row : page) {
                write(out, first ? "\n" : ",\n");
                write(out, new StoredState(row.id(), row));
                first = false;
            }
            StateId after = page.getLast().id();
            page = store.page(pattern, after, PAGE_IDS, PAGE_BYTES);
        }
        write(out, first ? "}" : "\n}");
    }

    private static void write(OutputStream out, StoredState state) throws IOException {
        Halves halves = state.halves();
        write(out, "\"" + new String(JsonStringEncoder.getInstance().quoteAsCharArray(state.id().value())) + "\":");
        write(out, "{\"completed\":");
        write(out, text(halves.completed()));
        write(out, ",\"partial\":");
        write(out, text(halves.partial()));
        write(out, "}");
    }

    private static String text(@Nullable JsonObject object) {
        return object == null ? "{}" : object.text();
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}

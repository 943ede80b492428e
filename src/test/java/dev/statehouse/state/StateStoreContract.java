package dev.statehouse.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.state.StateStore.Snapshot;
import dev.statehouse.state.StateStore.Summary;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every store of states does. A test gets an empty store. */
public abstract class StateStoreContract {

    private static final StateId A = new StateId("dev:tap-a-to-b");

    /** An empty store; the same one for the whole of a test. */
    protected abstract StateStore store();

    private static StateRow row(String id, @Nullable String partial, @Nullable String completed, long version) {
        return new StateRow(new StateId(id), partial, completed, version);
    }

    private @Nullable StateRow read(StateId id) {
        return store().read(List.of(id)).rows().get(id);
    }

    private List<String> list(String pattern) {
        return store().list(new Glob(pattern), null, 1000).stream().map(s -> s.id().value()).toList();
    }

    @Test
    void readsWhatWasWritten() {
        StateRow row = row("dev:tap-a-to-b", "{\"p\":1}", "{\"c\":2}", 1_700_000_000_123L);
        store().write(List.of(row));
        assertThat(read(A)).isEqualTo(row);
    }

    @Test
    void tellsTheTimeAlsoWhereThereIsNoRow() {
        long before = System.currentTimeMillis();
        Snapshot none = store().read(List.of());
        Snapshot missing = store().read(List.of(A));
        assertThat(none.rows()).isEmpty();
        assertThat(missing.rows()).isEmpty();
        assertThat(none.serverTime()).isBetween(before - 60_000, before + 60_000);
        assertThat(missing.serverTime()).isGreaterThanOrEqualTo(none.serverTime());
    }

    @Test
    void theNewestVersionCountsInWhateverOrderTheyCome() {
        store().write(List.of(row("a", null, "{\"n\":2}", 2_000)));
        store().write(List.of(row("a", null, "{\"n\":3}", 3_000)));
        store().write(List.of(row("a", null, "{\"n\":1}", 1_000)));
        assertThat(read(new StateId("a"))).isEqualTo(row("a", null, "{\"n\":3}", 3_000));
    }

    @Test
    void aRowFromAClockAnHourAheadIsReadWithItsVersion() {
        long ahead = System.currentTimeMillis() + 3_600_000;
        store().write(List.of(row("a", null, "{\"n\":1}", ahead)));
        store().write(List.of(row("a", null, "{\"n\":2}", ahead + 1)));
        Snapshot snapshot = store().read(List.of(new StateId("a")));
        assertThat(snapshot.rows().get(new StateId("a"))).isEqualTo(row("a", null, "{\"n\":2}", ahead + 1));
        assertThat(snapshot.serverTime()).isLessThan(ahead);
    }

    @Test
    void anEmptyRowIsReadWithItsVersionAndListedNowhere() {
        store().write(List.of(row("a", "{\"p\":1}", "{\"c\":1}", 1_000), row("b", null, "{\"c\":1}", 1_000)));
        store().write(List.of(row("a", null, null, 2_000)));
        assertThat(read(new StateId("a"))).isEqualTo(row("a", null, null, 2_000));
        assertThat(list("*")).containsExactly("b");
        assertThat(store().page(Glob.ALL, null, 10, 1_000)).extracting(r -> r.id().value()).containsExactly("b");
        assertThat(store().count(Glob.ALL)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{ }", " {\n\t}\r\n", "null", " null ", "", "  "})
    void whatHoldsNothingIsNoHalf(String empty) {
        store().write(List.of(row("a", empty, empty, 1_000), row("b", empty, "{\"c\":1}", 1_000),
                row("c", "{\"p\":1}", empty, 1_000)));
        assertThat(read(new StateId("a"))).isEqualTo(row("a", null, null, 1_000));
        assertThat(read(new StateId("b"))).isEqualTo(row("b", null, "{\"c\":1}", 1_000));
        assertThat(store().list(Glob.ALL, null, 10)).containsExactly(
                new Summary(new StateId("b"), 1_000, true, false, 7, true),
                new Summary(new StateId("c"), 1_000, false, true, 7, true));
        assertThat(store().count(Glob.ALL)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"q\":\"{fn now()}\",\"d\":\"{d '2026-01-01'}\",\"t\":\"{ts '2026-01-01 00:00:00'}\"}",
            "{\"a\":\"\\\\N \\\\0 \\\\' \\n\\\\\"}", "{\"a\":\"it's `quoted` \\\" ? :x @y -- /* # ; ${z} %s\"}",
            "{\"a\":\"\\u0000\\ud800 \\ud83d\\ude00\"}", "{\"n\":[9007199254740993,1.10,1E400,-0.0,1e-400]}",
            "{\"z\":1,\"a\":{\"z\":1,\"a\":2}}", "{\"e\":\"é \uD83D\uDE00 \u2028 \uFEFF \u200D\"}", "\uFEFF{}",
            "{\"a\"\t:\r\n 1 }",
            "not JSON: \u0001 \u0000 \u007f"})
    void textIsKeptToTheLastByte(String text) {
        store().write(List.of(row("a", text, null, 1_000), row("b", null, text, 1_000)));
        assertThat(read(new StateId("a"))).isEqualTo(row("a", text, null, 1_000));
        assertThat(read(new StateId("b"))).isEqualTo(row("b", null, text, 1_000));
        assertThat(store().page(Glob.ALL, null, 10, 100_000)).containsExactly(row("a", text, null, 1_000),
                row("b", null, text, 1_000));
    }

    @Test
    void randomTextIsKept() {
        long seed = new Random().nextLong();
        System.out.println("seed of randomTextIsKept: " + seed);
        Random random = new Random(seed);
        String alphabet = "{}'\"\\`?:@$%NntfS0 \t\n\r\b\u0000\u001b\u007f\u0080é\u20ac\u2028\uFFFD\uFFFF";
        List<StateRow> rows = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            StringBuilder text = new StringBuilder("x");
            for (int n = random.nextInt(60); n > 0; n--) {
                text.appendCodePoint(random.nextInt(10) == 0
                        ? 0x1F600 + random.nextInt(50)
                        : alphabet.charAt(random.nextInt(alphabet.length())));
            }
            rows.add(row("id-%03d".formatted(i), text.toString(), random.nextBoolean() ? text.toString() : null,
                    1_000 + i));
        }
        store().write(rows);
        assertThat(store().read(rows.stream().map(StateRow::id).toList()).rows().values())
                .containsExactlyElementsOf(rows);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a%2Fb", "a%252Fb", "a;b", "a+b", "a b", "it's", "\"q\"", "`t`", "a\\b", "\\N",
            "\\'",
            "{fn now()}", "?", "a:b", "\uD83D\uDE00", "é", "e\u0301", "_%*", "#x", "\u2028", "*", "[a]"})
    void idsAreTakenAsTheyAre(String id) {
        store().write(List.of(row(id, null, "{\"c\":1}", 1_000), row("other", null, "{\"o\":1}", 1_000)));
        assertThat(read(new StateId(id))).isEqualTo(row(id, null, "{\"c\":1}", 1_000));
        assertThat(list("*")).containsExactlyInAnyOrder(id, "other");
        StateId before = new StateId(Collections.min(List.of(new StateId(id), new StateId("other"))).value());
        assertThat(store().list(Glob.ALL, before, 10)).hasSize(1);
    }

    @Test
    void readsAThousandIdsOfTheLongestKindAtOnce() {
        List<StateId> ids = IntStream.range(0, 1000)
                .mapToObj(i -> new StateId("'".repeat(StateId.MAX_BYTES - 4) + "%04d".formatted(i)))
                .toList();
        store().write(ids.stream().map(id -> new StateRow(id, null, "{\"c\":1}", 1_000)).toList());
        assertThat(store().read(ids).rows().keySet()).containsExactlyElementsOf(ids);
    }

    @Test
    void listsInTheOrderOfBytes() {
        // Java's own order of strings puts the emoji before U+FF5E.
        List<String> ids = List.of("A", "Z", "a", "a-b", "a:b", "z", "é", "\uFF5E", "\uD83D\uDE00");
        List<String> shuffled = new ArrayList<>(ids);
        Collections.shuffle(shuffled, new Random(7));
        store().write(shuffled.stream().map(id -> row(id, null, "{\"c\":1}", 1_000)).toList());
        assertThat(list("*")).containsExactlyElementsOf(ids);
        List<String> paged = new ArrayList<>();
        StateId after = null;
        while (true) {
            List<Summary> page = store().list(Glob.ALL, after, 2);
            if (page.isEmpty()) {
                break;
            }
            assertThat(page).hasSizeLessThanOrEqualTo(2);
            page.forEach(s -> paged.add(s.id().value()));
            after = page.getLast().id();
        }
        assertThat(paged).containsExactlyElementsOf(ids);
    }

    @Test
    void listsWhatMatches() {
        store().write(List.of("dev:a", "dev:b", "dev_a", "devXa", "dev", "prod:a", "dev:é", "dev:a\u2028b")
                .stream()
                .map(id -> row(id, null, "{\"c\":1}", 1_000))
                .toList());
        assertThat(list("dev:*")).containsExactly("dev:a", "dev:a\u2028b", "dev:b", "dev:é");
        assertThat(list("dev_*")).containsExactly("dev_a");
        assertThat(list("dev:?")).containsExactly("dev:a", "dev:b", "dev:é");
        assertThat(list("*:a")).containsExactly("dev:a", "prod:a");
        assertThat(list("dev")).containsExactly("dev");
        assertThat(list("de")).isEmpty();
        assertThat(store().count(new Glob("dev:*"))).isEqualTo(4);
        assertThat(store().list(new Glob("dev:*"), new StateId("dev:a"), 1)).extracting(s -> s.id().value())
                .containsExactly("dev:a\u2028b");
    }

    @Test
    void patternsWithinOthersLimitPagesAndCounts() {
        store().write(IntStream.range(0, 60)
                .mapToObj(i -> row("%s:%02d".formatted(i % 3 == 0 ? "dev" : i % 3 == 1 ? "prod" : "é", i), null,
                        "{\"c\":1}", 1_000))
                .toList());
        Glob limited = new Glob("*").within(List.of(new Glob("dev:?[02468]"), new Glob("é:*")));
        List<String> paged = new ArrayList<>();
        List<Summary> page = store().list(limited, null, 7);
        while (!page.isEmpty()) {
            page.forEach(summary -> paged.add(summary.id().value()));
            page = store().list(limited, page.getLast().id(), 7);
        }
        assertThat(paged).hasSize(30).doesNotHaveDuplicates().allMatch(id -> limited.matches(new StateId(id)));
        assertThat(store().count(limited)).isEqualTo(30);
        assertThat(store().page(limited, null, 100, 1_000_000)).hasSize(30);
        assertThat(store().count(new Glob("dev:0*").within(List.of(new Glob("*:*0"), new Glob("*:*3"))))).isEqualTo(2);
        assertThat(store().list(Glob.ALL.within(List.of()), null, 10)).isEmpty();
    }

    @Test
    void saysWhetherItCanBeRead() {
        String deep = "{\"a\":".repeat(400) + "1" + "}".repeat(400);
        Map<String, Boolean> halves = new TreeMap<>();
        halves.put("{\"a\":1}", true);
        halves.put(" {\"a\":[1,\"x\"]}\n", true);
        halves.put("{\"n\":1E400,\"i\":123456789012345678901234567890}", true);
        halves.put("{\"s\":\"\\ud800\"}", true);
        halves.put(deep, true);
        halves.put("{\"a\":NaN}", false);
        halves.put("{\"a\":1E400,}", false);
        halves.put("{\"a\":1} {}", false);
        halves.put("{\"a\":1", false);
        halves.put("[1]", false);
        halves.put("\"{}\"", false);
        halves.put("1", false);
        halves.put("plain", false);
        List<StateRow> rows = new ArrayList<>();
        Map<StateId, Boolean> expected = new HashMap<>();
        halves.forEach((text, readable) -> {
            StateRow completed = row("c%03d".formatted(rows.size()), null, text, 1_000);
            StateRow partial = row("p%03d".formatted(rows.size()), text, "{\"c\":1}", 1_000);
            rows.addAll(List.of(completed, partial));
            expected.put(completed.id(), readable);
            expected.put(partial.id(), readable);
        });
        store().write(rows);
        assertThat(store().list(Glob.ALL, null, 1000)).hasSize(rows.size())
                .allSatisfy(
                        s -> assertThat(s.readable()).as(read(s.id()) + "").isEqualTo(expected.get(s.id())));
    }

    @Test
    void countsBytesNotCharacters() {
        store().write(List.of(row("a", "{\"p\":\"é\"}", "{\"c\":\"\uD83D\uDE00\"}", 1_000)));
        assertThat(store().list(Glob.ALL, null, 10)).containsExactly(
                new Summary(new StateId("a"), 1_000, true, true, 10 + 12, true));
    }

    @Test
    void aPageEndsWhereItIsFull() {
        String text = "{\"c\":\"" + "x".repeat(92) + "\"}";
        store().write(IntStream.range(0, 10).mapToObj(i -> row("id-" + i, null, text, 1_000)).toList());
        assertThat(store().page(Glob.ALL, null, 10, 300)).extracting(r -> r.id().value())
                .containsExactly("id-0", "id-1",
                        "id-2");
        assertThat(store().page(Glob.ALL, new StateId("id-2"), 2, 300)).extracting(r -> r.id().value())
                .containsExactly("id-3", "id-4");
        assertThat(store().page(Glob.ALL, null, 10, 1)).extracting(r -> r.id().value()).containsExactly("id-0");
        assertThat(store().page(Glob.ALL, new StateId("id-9"), 10, 300)).isEmpty();
        assertThat(store().page(new Glob("id-7"), null, 10, 300)).containsExactly(row("id-7", null, text, 1_000));
    }

    @Test
    void theSmallRowBehindALargeOneWaitsForTheNextPage() {
        store().write(List.of(row("a", null, "{\"c\":1}", 1_000),
                row("b", null, "{\"c\":\"" + "x".repeat(500) + "\"}", 1_000),
                row("c", null, "{\"c\":1}", 1_000)));
        assertThat(store().page(Glob.ALL, null, 10, 100)).extracting(r -> r.id().value()).containsExactly("a");
        assertThat(store().page(Glob.ALL, new StateId("a"), 10, 100)).extracting(r -> r.id().value())
                .containsExactly("b");
    }

    @Test
    void largeStatesGoInAndOut() {
        String large = "{\"c\":\"" + "é{fn x()}'\\\\".repeat(17 * 1024 * 1024 / 13) + "\"}";
        StateRow row = row("a", large, large, 1_000);
        store().write(List.of(row));
        assertThat(read(new StateId("a"))).isEqualTo(row);
        assertThat(store().list(Glob.ALL, null, 1).getFirst().sizeBytes()).isGreaterThan(32L * 1024 * 1024);
    }

    @Test
    void manyWritersAtOnceLoseNothing() throws Exception {
        List<Callable<Void>> writers = new ArrayList<>();
        for (int w = 0; w < 16; w++) {
            int writer = w;
            writers.add(() -> {
                for (int i = 0; i < 10; i++) {
                    store().write(List.of(row("own-" + writer, null, "{\"n\":" + i + "}", 1_000 + i),
                            row("shared", null, "{\"w\":" + writer + "}", 1_000 + i * 16L + writer)));
                }
                return null;
            });
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Void> done : threads.invokeAll(writers)) {
                done.get();
            }
        }
        assertThat(list("own-*")).hasSize(16);
        assertThat(read(new StateId("own-3"))).isEqualTo(row("own-3", null, "{\"n\":9}", 1_009));
        assertThat(read(new StateId("shared"))).isEqualTo(row("shared", null, "{\"w\":15}", 1_000 + 9 * 16 + 15));
    }
}

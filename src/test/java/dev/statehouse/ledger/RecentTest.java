package dev.statehouse.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

/** It is as a map in order of arrival that is copied at each change. */
class RecentTest {

    @Test
    void isAsAMapThatIsCopied() {
        long first = new Random().nextLong();
        System.out.println("Recent: seeds from " + first);
        for (long seed = first; seed < first + 200; seed++) {
            check(seed);
        }
    }

    private static void check(long seed) {
        Random random = new Random(seed);
        List<Recent<Long>> kept = new ArrayList<>();
        List<Map<String, Long>> copies = new ArrayList<>();
        kept.add(Recent.of(Map.of(), Long::longValue));
        copies.add(Map.of());
        for (int round = 0; round < 20; round++) {
            int from = random.nextInt(kept.size());
            Recent.Draft<Long> draft = Recent.draft(kept.get(from), Long::longValue);
            Map<String, Long> copy = new LinkedHashMap<>(copies.get(from));
            for (int step = random.nextInt(60); step > 0; step--) {
                String name = "n" + random.nextInt(200);
                long time = round * 10L + random.nextInt(40);
                switch (random.nextInt(8)) {
                    case 0 -> {
                        draft.forget(time - 60);
                        copy.values().removeIf(since -> since < time - 60);
                    }
                    case 1 -> assertThat(draft.get(name)).isEqualTo(copy.get(name));
                    default -> {
                        draft.put(name, time);
                        copy.put(name, time);
                    }
                }
            }
            kept.add(draft.done());
            copies.add(copy);
            kept.add(Recent.of(copy, Long::longValue));
            copies.add(copy);
        }
        for (int i = 0; i < kept.size(); i++) {
            Recent<Long> recent = kept.get(i);
            Map<String, Long> copy = copies.get(i);
            assertThat(new ArrayList<>(recent.entrySet())).as("seed %d, state %d", seed, i)
                    .isEqualTo(new ArrayList<>(copy.entrySet()));
            assertThat(recent).hasSize(copy.size()).isEqualTo(copy);
            for (int name = 0; name < 200; name++) {
                assertThat(recent.get("n" + name)).isEqualTo(copy.get("n" + name));
                assertThat(recent.containsKey("n" + name)).isEqualTo(copy.containsKey("n" + name));
            }
        }
    }

    @Test
    void cannotBeChanged() {
        Recent<Long> recent = Recent.of(Map.of("a", 1L), Long::longValue);
        assertThatThrownBy(() -> recent.put("b", 2L)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> recent.entrySet().iterator().next().setValue(3L))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(Recent.of(recent, Long::longValue)).isSameAs(recent);
    }
}

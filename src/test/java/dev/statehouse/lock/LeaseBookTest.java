package dev.statehouse.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.Locked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseBookTest {

    /** Every second candidate has a lease. */
    private static final class Book implements LeaseBook {

        private final List<StateId> ids;
        private final List<Integer> asked = new ArrayList<>();

        Book(int candidates) {
            ids = IntStream.range(0, candidates).mapToObj(i -> new StateId("s%05d".formatted(i))).toList();
        }

        @Override
        public Map<StateId, LiveLease> live(Collection<StateId> of) {
            return of.stream()
                    .filter(id -> (id.value().charAt(5) - '0') % 2 == 0)
                    .collect(Collectors.toMap(Function.identity(), id -> new LiveLease(id.value(),
                            new Locked.Holder(id, "owner", 1, Instant.EPOCH, Instant.EPOCH), 0)));
        }

        @Override
        public List<StateId> candidates(Glob pattern, @Nullable StateId after, int limit) {
            List<StateId> found = ids.stream()
                    .filter(id -> after == null || id.value().compareTo(after.value()) > 0)
                    .limit(limit)
                    .toList();
            asked.add(found.size());
            return found;
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1000, 1", "3, 1000, 1", "499, 1000, 1", "500, 1000, 2", "501, 1000, 2", "1200, 1000, 3",
            "1200, 250, 1", "1200, 251, 2"})
    void asksPageByPageAndNoMoreOnceOneIsNotFull(int candidates, int limit, int pages) {
        Book book = new Book(candidates);
        List<LiveLease> live = book.live(Glob.ALL, null, limit);
        assertThat(live).hasSize(Math.min(limit, (candidates + 1) / 2));
        assertThat(new TreeSet<>(live.stream().map(LiveLease::lock).toList())).hasSameSizeAs(live);
        assertThat(book.asked).hasSize(pages);
    }
}

package dev.statehouse.clickhouse;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;

import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.state.StateStore.Summary;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;

/**
 * Finds states by pattern, in two steps: first ids alone, which is quick however large the documents are, then what is
 * wanted of them. Ids whose row is empty fall out in the second step; then more ids are looked at, ever more at once.
 */
final class StateListing {

    private static final int MOST_IDS = 4096;

    private final StateSql sql;

    /**
     * @param sizeBytes the bytes of both halves together
     */
    record Sized(StateId id, long sizeBytes) {}

    /**
     * @param doubtful whether ClickHouse's JSON parser refused what looks like an object
     */
    record Listed(Summary summary, boolean doubtful) {}

    StateListing(StateSql sql) {
        this.sql = sql;
    }

    List<Listed> summaries(JdbcTemplate jdbc, Glob pattern, @Nullable StateId after, int limit) {
        return find(jdbc, pattern, after, limit, sql::summaries, (row, n) -> {
            boolean objects = row.getBoolean(6);
            boolean readable = row.getBoolean(7);
            return new Listed(new Summary(new StateId(row.getString(1)), row.getLong(2), row.getBoolean(3),
                    row.getBoolean(4), row.getLong(5), readable), objects && !readable);
        });
    }

    List<Sized> sizes(JdbcTemplate jdbc, Glob pattern, @Nullable StateId after, int limit) {
        return find(jdbc, pattern, after, limit, sql::sizes,
                (row, n) -> new Sized(new StateId(row.getString(1)), row.getLong(2)));
    }

    private <T> List<T> find(JdbcTemplate jdbc, Glob pattern, @Nullable StateId after, int limit,
            IntFunction<String> details, RowMapper<T> mapper) {
        List<T> found = new ArrayList<>();
        String last = after == null ? "" : after.value();
        int batch = limit;
        while (found.size() < limit) {
            List<String> ids = jdbc.query(sql.candidates(), (row, n) -> row.getString(1), pattern.literalPrefix(), last,
                    pattern.re2(), pattern.limitsRe2(), batch);
            if (!ids.isEmpty()) {
                jdbc.query(details.apply(ids.size()), mapper, ids.toArray())
                        .stream()
                        .limit(limit - (long) found.size())
                        .forEach(found::add);
            }
            if (ids.size() < batch) {
                break;
            }
            last = ids.getLast();
            batch = Math.min(Math.max(batch * 2, 64), MOST_IDS);
        }
        return found;
    }

    /** The first of these that hold no more than {@code maxBytes} together, and one in any case. */
    static Set<StateId> fitting(List<Sized> states, long maxBytes) {
        Set<StateId> ids = new LinkedHashSet<>();
        long sum = 0;
        for (Sized state : states) {
            sum += state.sizeBytes();
            if (!ids.isEmpty() && sum > maxBytes) {
                break;
            }
            ids.add(state.id());
        }
        return ids;
    }
}

package bench;

import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * How the Meltano add-on for ClickHouse takes a lock: nobody holds it; insert a candidate; wait a second for the others'
 * candidates; the lowest wins, the others withdraw and try again.
 */
final class SettleAlgorithm {

    private static final long SETTLE_MS = 1_000;
    private static final long RETRY_MS = 1_000;

    private final JdbcTemplate jdbc;
    private final String table;

    SettleAlgorithm(JdbcTemplate jdbc, String table) {
        this.jdbc = jdbc;
        this.table = table;
        jdbc.execute("CREATE TABLE IF NOT EXISTS " + table + " (state_id String, lock_id String, locked_at DateTime"
                + " DEFAULT now()) ENGINE = ReplacingMergeTree(locked_at) ORDER BY (state_id, lock_id)"
                + " TTL locked_at + INTERVAL 300 SECOND");
    }

    String acquire(String id) throws InterruptedException {
        while (true) {
            if (lowest(id) == null) {
                String candidate = UUID.randomUUID().toString();
                jdbc.update("INSERT INTO " + table + " (state_id, lock_id) SETTINGS async_insert = 0 VALUES (?, ?)", id,
                        candidate);
                Thread.sleep(SETTLE_MS);
                if (candidate.equals(lowest(id))) {
                    return candidate;
                }
                release(id, candidate);
            }
            Thread.sleep(RETRY_MS);
        }
    }

    private @Nullable String lowest(String id) {
        String lowest = jdbc.queryForObject("SELECT min(lock_id) FROM " + table
                + " WHERE state_id = ? AND locked_at > now() - INTERVAL 300 SECOND", String.class, id);
        return lowest == null || lowest.isEmpty() ? null : lowest;
    }

    void release(String id, String lockId) {
        jdbc.update("DELETE FROM " + table + " WHERE state_id = ? AND lock_id = ?", id, lockId);
    }
}

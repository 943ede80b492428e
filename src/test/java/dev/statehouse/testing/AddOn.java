package dev.statehouse.testing;

import static dev.statehouse.testing.RunningService.quoted;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A pipeline with the Meltano add-on for ClickHouse, beside the service: the statements that the add-on sends, on the tables
 * of one database of the tests' ClickHouse.
 */
public final class AddOn {

    private static final Duration RETRY = Duration.ofSeconds(1);

    private final TestClickHouse clickHouse = TestClickHouse.shared();
    private final String schema;
    private final Duration settle;

    /** As it is: one that wants a lock waits a second for the others. */
    public AddOn(String schema) {
        this(schema, Duration.ofSeconds(1));
    }

    /** @param settle how long it waits for the rows of the others; a longer time bears longer stalls */
    public AddOn(String schema, Duration settle) {
        this.schema = schema;
        this.settle = settle;
    }

    private String query(String sql, String... values) {
        String named = sql.replace("$state", "`" + schema + "`.`state`")
                .replace("$lock",
                        "`" + schema + "`.`state_lock`");
        return clickHouse.query(named.replace("?", "%s").formatted((Object[]) values));
    }

    /** What it does when it starts. */
    public void createTables() {
        query("CREATE DATABASE IF NOT EXISTS `" + schema + "`");
        query("""
                CREATE TABLE IF NOT EXISTS $state (
                    state_id String,
                    partial_state Nullable(String),
                    completed_state Nullable(String),
                    updated_at DateTime64(3) DEFAULT now64(3)
                ) ENGINE = ReplacingMergeTree(updated_at)
                ORDER BY state_id
                """);
        query("""
                CREATE TABLE IF NOT EXISTS $lock (
                    state_id String,
                    lock_id String,
                    locked_at DateTime DEFAULT now()
                ) ENGINE = ReplacingMergeTree(locked_at)
                ORDER BY state_id
                TTL locked_at + INTERVAL 300 SECOND
                """);
    }

    /** Waits for the lock as long as it takes. */
    public String acquire(String id) throws InterruptedException {
        String lockId = UUID.randomUUID().toString();
        while (true) {
            if (sees(id).isEmpty()) {
                stand(id, lockId);
                Thread.sleep(settle);
                if (candidates(id).stream().sorted().findFirst().equals(Optional.of(lockId))) {
                    return lockId;
                }
                release(id, lockId);
            }
            Thread.sleep(RETRY);
        }
    }

    /** Who it takes for the holder once it has swept up what is stale; empty if nobody is. */
    public String sees(String id) {
        String holder = holder(id);
        if (!holder.isEmpty()) {
            query("DELETE FROM $lock WHERE locked_at < now() - 300");
            holder = holder(id);
        }
        return holder;
    }

    private String holder(String id) {
        return query("SELECT lock_id FROM $lock FINAL WHERE state_id = ? ORDER BY lock_id LIMIT 1", quoted(id));
    }

    /** Puts its row there. */
    public void stand(String id, String lockId) {
        query("INSERT INTO $lock (state_id, lock_id) VALUES (?, ?)", quoted(id), quoted(lockId));
    }

    /** The rows that it chooses from. */
    public List<String> candidates(String id) {
        return query("SELECT lock_id FROM $lock WHERE state_id = ?", quoted(id)).lines().toList();
    }

    public void release(String id, String lockId) {
        query("DELETE FROM $lock WHERE state_id = ? AND lock_id = ?", quoted(id), quoted(lockId));
    }

    public void set(String id, @Nullable String partial, @Nullable String completed) {
        query("INSERT INTO $state (state_id, partial_state, completed_state) VALUES (?, ?, ?)", quoted(id),
                quoted(partial), quoted(completed));
    }

    /** What it reads, as {@code partial|completed}; empty if there is no row. */
    public String get(String id) {
        return query("SELECT concat(ifNull(partial_state, '-'), '|', ifNull(completed_state, '-')) FROM $state FINAL"
                + " WHERE state_id = ? LIMIT 1 FORMAT TSVRaw", quoted(id));
    }

    public void delete(String id) {
        query("DELETE FROM $state WHERE state_id = ?", quoted(id));
    }

    public void clearAll() {
        query("TRUNCATE TABLE $state");
    }
}

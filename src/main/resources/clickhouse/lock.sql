-- The lock table of the Meltano add-on for ClickHouse, for the strategy settle: both look at it and exclude each other.
CREATE TABLE IF NOT EXISTS ${table}
(
    state_id String COMMENT 'Name of the locked state',
    lock_id String COMMENT 'Who holds it or would like to; the lowest has it. Of Statehouse: hash, fencing token, length in ms, owner',
    locked_at DateTime DEFAULT now() COMMENT 'When the row was put there or renewed'
)
ENGINE = ReplacingMergeTree(locked_at)
ORDER BY (state_id, lock_id)
TTL locked_at + INTERVAL 300 SECOND

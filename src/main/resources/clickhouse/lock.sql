-- The lock table of the Meltano add-on for ClickHouse, for the strategy settle: both look at it and exclude each other.
-- One that the add-on made is ordered by state_id alone, so that a merge leaves but one of the rows of an id, and whoever
-- looks then may take itself for the winner. Here each keeps its row; the statements of both work on either.
CREATE TABLE IF NOT EXISTS ${table}
(
    state_id String COMMENT 'Name of the locked state',
    lock_id String COMMENT 'Who holds it or would like to; the lowest has it. Of Statehouse: hash, fencing token, length in ms, owner',
    locked_at DateTime DEFAULT now() COMMENT 'When the row was put there or renewed'
)
ENGINE = ReplacingMergeTree(locked_at)
ORDER BY (state_id, lock_id)
TTL locked_at + INTERVAL 300 SECOND

-- The ledger: one log in total order, which decides who holds a lock and which write counts. Its order is
-- (_block_number, _block_offset): ClickHouse gives block numbers out and makes blocks visible under one lock, so whoever
-- sees a row sees every row below it. Nothing here is ever changed, truncated, or restored from a backup.
-- What an event does not use is 0, '' or NULL.
-- Writes are forgotten after an hour, all else after three days, a mark not while anybody lives (31 years). One expression:
-- two with a WHERE take an INSERT a seventh longer.
CREATE TABLE IF NOT EXISTS ${table}
(
    state_id String COMMENT 'Name of the state that the row is about; empty for a mark',
    event String COMMENT 'request, wait, leave, claim, renew, release, break: of locks; write, done: of writes; snapshot; mark',
    event_id String COMMENT 'Name of the event, the same however often it was sent; of a leave: that of the request it takes back',
    lock String COMMENT 'SHA-256 of the lock_id in hex, which is a secret; empty for none; of a done: event_id of the write',
    owner String COMMENT 'request: who asks, in its own words; mark: the strategy of locks',
    ttl_ms Int64 COMMENT 'request, renew: length of the lease in milliseconds',
    fencing_token Int64 COMMENT 'break: number of the lease to end',
    base Int64 COMMENT 'write: last version that counted when its writer looked, in epoch milliseconds',
    version Int64 COMMENT 'write: version that it stores, in epoch milliseconds; mark: version of the rules of the fold',
    partial_state Nullable(String) COMMENT 'write: JSON object to store; NULL for none',
    completed_state Nullable(String) COMMENT 'write: JSON object to store; NULL for none',
    read_at Int64 COMMENT 'write: when its writer looked, in epoch milliseconds of this server',
    upto UInt64 COMMENT 'snapshot: last block that it stands for',
    fold String COMMENT 'snapshot: what the rows up to that block come to, as JSON',
    at DateTime64(3) DEFAULT now64(3) COMMENT 'When the row was inserted',
    INDEX state_id_bloom state_id TYPE bloom_filter GRANULARITY 1,
    INDEX upto_minmax upto TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (state_id, at)
TTL toDateTime(at) + multiIf(event IN ('write', 'done'), 3600, event = 'mark', 1000000000, 259200)
SETTINGS index_granularity = 128, min_bytes_for_wide_part = 10000000000, min_rows_for_wide_part = 10000000000,
    enable_block_number_column = 1, enable_block_offset_column = 1

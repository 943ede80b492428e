-- The state table: column for column the one of the Meltano add-on for ClickHouse, so that both work on the same data.
-- Read it with FINAL. A row whose halves are both empty says that the state was deleted.
-- The settings make it quick to read a few rows by their ids: small granules, one file a part, a bloom filter.
CREATE TABLE IF NOT EXISTS ${table}
(
    state_id String COMMENT 'Name of the state, as the pipelines give it',
    partial_state Nullable(String) COMMENT 'JSON object: what an interrupted run got to; NULL if there is none',
    completed_state Nullable(String) COMMENT 'JSON object: what the last successful run left; NULL if there is none',
    updated_at DateTime64(3) DEFAULT now64(3) COMMENT 'When it was written; its milliseconds are the version, the newest row counts',
    INDEX state_id_bloom state_id TYPE bloom_filter GRANULARITY 1
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY state_id
SETTINGS index_granularity = 128, min_bytes_for_wide_part = 10000000000, min_rows_for_wide_part = 10000000000

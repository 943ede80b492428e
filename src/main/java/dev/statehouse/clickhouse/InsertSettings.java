package dev.statehouse.clickhouse;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** Settings that make INSERTs cheaper, where the server takes them. */
final class InsertSettings {

    /**
     * Where a part is one granule, looking into its indexes takes as long as reading it; merging makes them. Six files less of
     * the twenty-three that a write takes.
     */
    private static final String WITHOUT_INDEXES = "materialize_skip_indexes_on_insert = 0";

    /** As {@code index_granularity} of the tables. */
    private static final int GRANULE = 128;

    private final String withoutIndexes;
    private volatile boolean taken;

    InsertSettings() {
        this(WITHOUT_INDEXES);
    }

    InsertSettings(String withoutIndexes) {
        this.withoutIndexes = withoutIndexes;
    }

    /** Which these are, only the server's refusal says: the list of them takes a right that this user may not have. */
    void ask(JdbcTemplate jdbc) {
        try {
            jdbc.execute("SELECT 1 SETTINGS " + withoutIndexes);
            taken = true;
        } catch (DataAccessException e) {
            if (!ErrorTranslator.refusesSetting(ErrorTranslator.code(e))) {
                throw e;
            }
            taken = false;
        }
    }

    /**
     * What goes behind other settings.
     *
     * @param rows how many rows are inserted
     */
    String more(int rows) {
        return rows <= GRANULE && taken ? ", " + withoutIndexes : "";
    }
}

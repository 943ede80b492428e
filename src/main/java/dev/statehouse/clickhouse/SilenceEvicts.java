package dev.statehouse.clickhouse;

import java.sql.SQLException;

import com.zaxxer.hikari.SQLExceptionOverride;

/** Takes a connection out of the pool on which ClickHouse fell silent; the driver closes it, but not at once. */
final class SilenceEvicts implements SQLExceptionOverride {

    @java.lang.Override
    public Override adjudicate(SQLException error) {
        return ErrorTranslator.code(error) == 0 ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
    }
}

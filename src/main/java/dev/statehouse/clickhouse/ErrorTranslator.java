package dev.statehouse.clickhouse;

import java.sql.SQLException;
import java.time.Duration;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;

/**
 * Says in the service's own words what the driver threw. What ClickHouse said goes to the log as the cause, never to
 * the caller: it may quote data, and names the inside of somebody's cluster.
 */
final class ErrorTranslator {

    private static final int CANNOT_COMPILE_REGEXP = 427;
    private static final int UNKNOWN_TABLE = 60;
    static final int UNKNOWN_DATABASE = 81;
    private static final int UNKNOWN_SETTING = 115;
    private static final int SETTING_CONSTRAINT_VIOLATION = 452;

    private ErrorTranslator() {}

    /** ClickHouse's number of the error; 0 if it did not answer. */
    static int code(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getErrorCode() != 0) {
                return sql.getErrorCode();
            }
            if (cause instanceof com.clickhouse.client.api.ServerException server) {
                return server.getCode();
            }
        }
        return 0;
    }

    /** Whether what the schema made has gone. */
    static boolean schemaIsGone(int code) {
        return code == UNKNOWN_TABLE || code == UNKNOWN_DATABASE;
    }

    /** Whether a setting is what ClickHouse refuses. */
    static boolean refusesSetting(int code) {
        return code == UNKNOWN_SETTING || code == SETTING_CONSTRAINT_VIOLATION;
    }

    /** Whether ClickHouse answers and refuses, and will go on refusing until an operator does something. */
    static boolean needsAnOperator(int code) {
        return switch (code) {
            case 164, 192, 193, 194, 195, 291, SETTING_CONSTRAINT_VIOLATION, 492, 497, 516, 531, UNKNOWN_DATABASE ->
                true;
            default -> false;
        };
    }

    static Problem translate(Throwable error) {
        int code = code(error);
        if (code == CANNOT_COMPILE_REGEXP) {
            return new InvalidInput(ProblemCode.INVALID_PARAMETER, "The pattern is too complex.");
        }
        return new Unavailable(ProblemCode.CLICKHOUSE_UNAVAILABLE, words(code),
                Duration.ofSeconds(needsAnOperator(code) ? 10 : 1), error);
    }

    /** What the operator may do about a refusal. */
    static String action(int code, ClickHouseAddress address) {
        return switch (code) {
            case UNKNOWN_DATABASE -> "Create the database '" + address.database()
                    + "', or name another (CLICKHOUSE_DATABASE, or the path of the URI).";
            case 192, 193, 194, 195, 516 -> "Check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or both in the URI; a '%',"
                    + " '@', ':' or '/' in the URI's password is percent-encoded.";
            case 164, 452 -> "Give the user a profile without readonly and without constraints on max_query_size and"
                    + " async_insert.";
            default -> "Grant the user SELECT and INSERT on the state table; to let the service create it, also CREATE"
                    + " TABLE, and CREATE DATABASE where the database is missing.";
        };
    }

    static String words(int code) {
        return switch (code) {
            case 0 -> "ClickHouse does not answer.";
            case 192, 193, 194, 195, 516 -> "ClickHouse does not accept the user or password of this service.";
            case 291, 497, 531 -> "ClickHouse denies this service's user a right that it needs.";
            case 164 -> "ClickHouse takes no writes from this service's user: it is read-only.";
            case 242 -> "ClickHouse's table is read-only at the moment.";
            case 452 -> "ClickHouse does not let this service's user change a setting that it needs.";
            case UNKNOWN_DATABASE -> "ClickHouse has no database of the configured name.";
            case UNKNOWN_TABLE -> "The state table is not there.";
            case 16, 47, 53 -> "The state table has other columns than this service needs.";
            case 241 -> "ClickHouse is out of memory for this call.";
            case 243, 247, 236, 394 -> "ClickHouse cannot take this now: disk full or shutting down.";
            case 252 -> "ClickHouse has too many parts to merge; it takes no writes for now.";
            case 201, 202, 203 -> "ClickHouse is at its limit of simultaneous queries or of a quota.";
            case 159, 160, 209 -> "ClickHouse took too long for this call.";
            default -> "ClickHouse failed to carry out this call (its error code is %d).".formatted(code);
        };
    }
}

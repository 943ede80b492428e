/** The ports over JDBC: where ClickHouse is, the pool, the schema, and the driver's errors as problems. */
@NullMarked
package dev.statehouse.clickhouse;

import org.jspecify.annotations.NullMarked;

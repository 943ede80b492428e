/**
 * The embedded engine: ClickHouse in a child process, for when no ClickHouse is named. It supplies an address and knows
 * nothing of states.
 */
@NullMarked
package dev.statehouse.embedded;

import org.jspecify.annotations.NullMarked;

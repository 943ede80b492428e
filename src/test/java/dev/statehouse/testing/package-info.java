/** What tests of several packages share: above all, a ClickHouse. */
@NullMarked
package dev.statehouse.testing;

import org.jspecify.annotations.NullMarked;

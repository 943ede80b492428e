/** Validated value types that the features share. Uses the JDK alone. */
@NullMarked
package dev.statehouse.id;

import org.jspecify.annotations.NullMarked;

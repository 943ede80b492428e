/** What operators look at: health, readiness and checks of the configuration. */
@NullMarked
package dev.statehouse.ops;

import org.jspecify.annotations.NullMarked;

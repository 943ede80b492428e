/** Gathers calls that come together, so that they are one statement each to the store. */
@NullMarked
package dev.statehouse.batch;

import org.jspecify.annotations.NullMarked;

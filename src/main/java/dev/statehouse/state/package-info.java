/** States: their model, how they merge, what a write does to them, and the calls of the HTTP contract on them. */
@NullMarked
package dev.statehouse.state;

import org.jspecify.annotations.NullMarked;

/** Benchmarks, outside of the base package, so that no service takes their parts for its own: programs that print ratios, side by side in one run. See bench/run. */
@NullMarked
package bench;

import org.jspecify.annotations.NullMarked;

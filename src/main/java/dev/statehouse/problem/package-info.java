/** The sealed family of problems with their stable codes. Knows no HTTP and no Spring. */
@NullMarked
package dev.statehouse.problem;

import org.jspecify.annotations.NullMarked;

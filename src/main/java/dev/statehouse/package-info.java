/** The main class. */
@NullMarked
package dev.statehouse;

import org.jspecify.annotations.NullMarked;

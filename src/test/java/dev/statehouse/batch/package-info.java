@NullMarked
package dev.statehouse.batch;

import org.jspecify.annotations.NullMarked;

/** JSON kept as it was written, and how one object is merged onto another. */
@NullMarked
package dev.statehouse.json;

import org.jspecify.annotations.NullMarked;

/** Who calls, and what they may do: tokens, roles, and the ids that each role reaches. Knows no HTTP. */
@NullMarked
package dev.statehouse.auth;

import org.jspecify.annotations.NullMarked;

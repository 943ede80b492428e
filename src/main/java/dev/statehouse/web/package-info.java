/** HTTP itself: request targets taken exactly, problems as RFC 9457, request ids, limits. */
@NullMarked
package dev.statehouse.web;

import org.jspecify.annotations.NullMarked;

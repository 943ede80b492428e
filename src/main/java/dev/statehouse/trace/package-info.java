/** For which call a thread works: the request id in its log lines, and the spans of its trace. */
@NullMarked
package dev.statehouse.trace;

import org.jspecify.annotations.NullMarked;

/**
 * Races and faults with real processes: instances of the service and clients in processes of their own, stopped, killed,
 * cut off and restarted, and a check of everything that was answered.
 */
@NullMarked
package dev.statehouse.faults;

import org.jspecify.annotations.NullMarked;

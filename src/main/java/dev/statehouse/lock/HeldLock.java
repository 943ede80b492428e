package dev.statehouse.lock;

import dev.statehouse.problem.Locked;

/**
 * A lock as anybody may see it.
 *
 * @param holder who holds it
 * @param waiting how many wait for it
 */
record HeldLock(Locked.Holder holder, int waiting) {}

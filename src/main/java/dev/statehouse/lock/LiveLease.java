package dev.statehouse.lock;

import dev.statehouse.problem.Locked;

/**
 * A lease that is live.
 *
 * @param lock hash of the lock_id that has it
 * @param holder who holds it, as anybody may see it
 * @param waiting how many wait for it
 */
public record LiveLease(String lock, Locked.Holder holder, int waiting) {}

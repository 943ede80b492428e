package dev.statehouse.state;

import dev.statehouse.id.StateId;

/**
 * One write of one id.
 *
 * @param id the id to write
 * @param preconditions what must hold of it
 * @param change what becomes of it
 */
record Write(StateId id, Preconditions preconditions, Change change) {}

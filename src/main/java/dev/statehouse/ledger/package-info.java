/**
 * The log that decides locks and writes: its events, and the fold over them. Pure: no clock, no randomness, no
 * input or output.
 */
@NullMarked
package dev.statehouse.ledger;

import org.jspecify.annotations.NullMarked;

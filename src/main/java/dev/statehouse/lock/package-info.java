/** Locks: acquiring, waiting, renewing and ending leases, behind one port with a class a strategy. */
@NullMarked
package dev.statehouse.lock;

import org.jspecify.annotations.NullMarked;

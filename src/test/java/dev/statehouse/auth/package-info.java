@NullMarked
package dev.statehouse.auth;

import org.jspecify.annotations.NullMarked;

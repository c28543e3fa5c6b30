/**
 * Comparison of two keyed, ordered sources that should contain the same rows, such as both sides of a dual write, and
 * the repair of differences.
 */
@NullMarked
package io.counterpoint.idempotency.consistency.comparison;

import org.jspecify.annotations.NullMarked;

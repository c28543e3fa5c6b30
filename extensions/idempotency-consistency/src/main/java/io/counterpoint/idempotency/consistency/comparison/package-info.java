/**
 * Comparison of two keyed, ordered sources that ought to hold the same, such as both sides of a dual write, and the
 * repair of what differs.
 */
@NullMarked
package io.counterpoint.idempotency.consistency.comparison;

import org.jspecify.annotations.NullMarked;

/** Checks that find damage, and repairs that fix it: {@link io.counterpoint.idempotency.consistency.check.Check}. */
@NullMarked
package io.counterpoint.idempotency.consistency.check;

import org.jspecify.annotations.NullMarked;

/** A status column that only moves along declared arrows: {@link io.counterpoint.idempotency.consistency.transition.StatusTransitions}. */
@NullMarked
package io.counterpoint.idempotency.consistency.transition;

import org.jspecify.annotations.NullMarked;

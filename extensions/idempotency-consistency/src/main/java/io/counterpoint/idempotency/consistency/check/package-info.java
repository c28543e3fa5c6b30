/**
 * Checks that find incorrect rows, and repairs for them: {@link io.counterpoint.idempotency.consistency.check.Check}.
 */
@NullMarked
package io.counterpoint.idempotency.consistency.check;

import org.jspecify.annotations.NullMarked;

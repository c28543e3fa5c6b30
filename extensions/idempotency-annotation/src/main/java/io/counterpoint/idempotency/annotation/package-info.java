/** The annotation {@link io.counterpoint.idempotency.annotation.Idempotent}, which framework modules process. */
@NullMarked
package io.counterpoint.idempotency.annotation;

import org.jspecify.annotations.NullMarked;

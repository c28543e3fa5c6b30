/** {@link io.counterpoint.idempotency.annotation.Idempotent}, which a framework's module makes work. */
@NullMarked
package io.counterpoint.idempotency.annotation;

import org.jspecify.annotations.NullMarked;

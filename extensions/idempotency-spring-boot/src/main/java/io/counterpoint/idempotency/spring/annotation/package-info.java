/** The annotation {@link io.counterpoint.idempotency.annotation.Idempotent}, and what it takes from beans. */
@NullMarked
package io.counterpoint.idempotency.spring.annotation;

import org.jspecify.annotations.NullMarked;

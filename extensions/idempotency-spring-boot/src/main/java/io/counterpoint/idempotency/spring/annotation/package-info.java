/**
 * Support for the annotation {@link io.counterpoint.idempotency.annotation.Idempotent} in Spring, and the types of
 * beans that it uses.
 */
@NullMarked
package io.counterpoint.idempotency.spring.annotation;

import org.jspecify.annotations.NullMarked;

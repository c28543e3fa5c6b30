/** What the annotation and the auto-configuration share. Not for others. */
@NullMarked
package io.counterpoint.idempotency.spring.internal;

import org.jspecify.annotations.NullMarked;

/** Functional interfaces that may throw, for user code passed to operations, batches and codecs. */
@NullMarked
package io.counterpoint.idempotency.function;

import org.jspecify.annotations.NullMarked;

/** Functions that may throw: what users hand to operations, batches and codecs. */
@NullMarked
package io.counterpoint.idempotency.function;

import org.jspecify.annotations.NullMarked;

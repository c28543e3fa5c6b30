/** A store in memory: for unit tests, and the reference for other stores. */
@NullMarked
package io.counterpoint.idempotency.memory;

import org.jspecify.annotations.NullMarked;

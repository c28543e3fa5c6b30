/** The in-memory store, for unit tests and as the reference for other stores. */
@NullMarked
package io.counterpoint.idempotency.memory;

import org.jspecify.annotations.NullMarked;

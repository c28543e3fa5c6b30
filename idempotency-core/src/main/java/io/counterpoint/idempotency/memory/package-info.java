/** An in-memory store for unit tests, which is also the reference for other stores. */
@NullMarked
package io.counterpoint.idempotency.memory;

import org.jspecify.annotations.NullMarked;

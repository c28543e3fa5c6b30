/**
 * What a store offers the engine: atomic steps on records, and a runner of transactions. No protocol decision is taken
 * here.
 */
@NullMarked
package io.counterpoint.idempotency.spi;

import org.jspecify.annotations.NullMarked;

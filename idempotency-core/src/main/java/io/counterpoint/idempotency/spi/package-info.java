/**
 * The interface between stores and the engine: atomic steps on records, and transactions around them. No protocol
 * decisions are made here.
 */
@NullMarked
package io.counterpoint.idempotency.spi;

import org.jspecify.annotations.NullMarked;

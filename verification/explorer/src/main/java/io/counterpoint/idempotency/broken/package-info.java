/**
 * Stores that are wrong on purpose. A test, a model checker or a torture that lets one of them pass proves nothing.
 * {@code BrokenStore} is the catalogue.
 */
@NullMarked
package io.counterpoint.idempotency.broken;

import org.jspecify.annotations.NullMarked;

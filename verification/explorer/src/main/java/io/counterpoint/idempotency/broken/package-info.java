/**
 * Stores with deliberate bugs. A test, a model checker or a torture that does not catch them proves nothing.
 * {@code BrokenStore} is the catalogue.
 */
@NullMarked
package io.counterpoint.idempotency.broken;

import org.jspecify.annotations.NullMarked;

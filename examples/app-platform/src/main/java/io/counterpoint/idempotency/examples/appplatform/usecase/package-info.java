/**
 * The use cases, one class each, which are the ones to copy. They depend only on the library, Jdbi and the interfaces
 * in this package.
 */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.usecase;

import org.jspecify.annotations.NullMarked;

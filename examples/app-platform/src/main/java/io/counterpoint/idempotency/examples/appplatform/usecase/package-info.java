/**
 * The use cases, one class each, which is what a reader copies. They need the library, Jdbi and the interfaces that stand
 * beside them, and nothing else of this program.
 */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.usecase;

import org.jspecify.annotations.NullMarked;

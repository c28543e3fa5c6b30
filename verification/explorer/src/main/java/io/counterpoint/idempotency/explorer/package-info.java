/**
 * Drives the engine through every order of its store calls, with every fault between them, and checks its promises.
 * {@code Explorer} is the entry point.
 */
@NullMarked
package io.counterpoint.idempotency.explorer;

import org.jspecify.annotations.NullMarked;

/**
 * Drives the engine through every order of its store calls, with every fault between them, and checks what it promises.
 * {@code Explorer} is the way in.
 */
@NullMarked
package io.counterpoint.idempotency.explorer;

import org.jspecify.annotations.NullMarked;

/** Processes of this program's classes, and what keeps them running. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.process;

import org.jspecify.annotations.NullMarked;

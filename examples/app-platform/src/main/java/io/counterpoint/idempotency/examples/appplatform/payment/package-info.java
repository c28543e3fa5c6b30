/** A payment provider on a port of its own, and its client. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.payment;

import org.jspecify.annotations.NullMarked;

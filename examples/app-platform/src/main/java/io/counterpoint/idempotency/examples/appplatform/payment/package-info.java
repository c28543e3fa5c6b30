/** A payment provider on its own port, and its client. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.payment;

import org.jspecify.annotations.NullMarked;

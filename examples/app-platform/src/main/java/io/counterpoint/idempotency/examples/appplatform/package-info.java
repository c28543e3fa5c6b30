/** A service that shows every part of the consistency toolkit, and a tour that damages and repairs it. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform;

import org.jspecify.annotations.NullMarked;

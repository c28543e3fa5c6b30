/** A service that shows the consistency toolkit in all its parts, and a tour that damages and repairs it. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform;

import org.jspecify.annotations.NullMarked;

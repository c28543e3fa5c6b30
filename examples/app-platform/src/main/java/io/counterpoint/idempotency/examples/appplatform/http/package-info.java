/** How this program listens. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.http;

import org.jspecify.annotations.NullMarked;

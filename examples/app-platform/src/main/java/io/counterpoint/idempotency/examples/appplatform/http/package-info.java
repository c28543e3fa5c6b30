/** How this program listens, and asks. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.http;

import org.jspecify.annotations.NullMarked;

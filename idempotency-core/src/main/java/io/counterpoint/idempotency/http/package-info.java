/** What a service that takes idempotency keys, and its clients, have in common on HTTP. */
@NullMarked
package io.counterpoint.idempotency.http;

import org.jspecify.annotations.NullMarked;

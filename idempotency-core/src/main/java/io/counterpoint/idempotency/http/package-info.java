/** Shared by services that accept idempotency keys over HTTP and by their clients. */
@NullMarked
package io.counterpoint.idempotency.http;

import org.jspecify.annotations.NullMarked;

/** What services that accept idempotency keys over HTTP share with their clients. */
@NullMarked
package io.counterpoint.idempotency.http;

import org.jspecify.annotations.NullMarked;

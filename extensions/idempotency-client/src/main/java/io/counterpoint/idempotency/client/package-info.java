/**
 * HTTP calls that are safe to retry: one key for each call over all its tries, and a {@link
 * io.counterpoint.idempotency.client.CallResult} for every answer.
 *
 * <p>Start at {@link io.counterpoint.idempotency.client.IdempotentHttpClient} for {@code java.net.http}, or at {@link
 * io.counterpoint.idempotency.client.IdempotentCallInterceptor} for Spring. {@link
 * io.counterpoint.idempotency.client.ClientKeys} keeps keys for callers that must survive their own end.
 */
@NullMarked
package io.counterpoint.idempotency.client;

import org.jspecify.annotations.NullMarked;

/**
 * HTTP calls that are safe to retry: one key for all tries of a call, and an {@link
 * io.counterpoint.idempotency.client.CallResult} for every response.
 *
 * <p>Start at {@link io.counterpoint.idempotency.client.IdempotentHttpClient} for {@code java.net.http}, or at {@link
 * io.counterpoint.idempotency.client.IdempotentCallInterceptor} for Spring. {@link
 * io.counterpoint.idempotency.client.ClientKeys} keeps keys for callers that must survive a restart.
 */
@NullMarked
package io.counterpoint.idempotency.client;

import org.jspecify.annotations.NullMarked;

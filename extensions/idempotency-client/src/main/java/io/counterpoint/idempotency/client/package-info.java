/**
 * HTTP calls that are safe to retry: one key per call for all of its tries, and a {@link
 * io.counterpoint.idempotency.client.CallResult} for every outcome.
 *
 * <p>Start at {@link io.counterpoint.idempotency.client.IdempotentHttpClient} for {@code java.net.http}, or at {@link
 * io.counterpoint.idempotency.client.IdempotentCallInterceptor} for Spring. {@link
 * io.counterpoint.idempotency.client.ClientKeys} stores keys for calls that must survive a crash of the caller.
 */
@NullMarked
package io.counterpoint.idempotency.client;

import org.jspecify.annotations.NullMarked;

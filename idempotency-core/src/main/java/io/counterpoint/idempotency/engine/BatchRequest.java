package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.BatchAttempt;

/**
 * What a batch asks for in one of its attempts.
 *
 * @param attempt the attempt, as the work gets it
 * @param request the request
 */
public record BatchRequest(BatchAttempt attempt, Request request) {}

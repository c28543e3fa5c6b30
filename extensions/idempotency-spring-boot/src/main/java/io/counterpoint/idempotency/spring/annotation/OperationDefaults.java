package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;
import java.time.Duration;

/**
 * What holds for {@link Idempotent} methods that do not say otherwise.
 *
 * @param retention for how long records answer
 * @param maxWaiting how many callers of an operation may wait at once
 */
public record OperationDefaults(Duration retention, int maxWaiting) {}

package io.counterpoint.idempotency.spring.annotation;

import java.time.Duration;

/**
 * For how long records answer, of {@link Idempotent} methods that do not say so.
 *
 * @param duration the retention
 */
public record DefaultRetention(Duration duration) {}

package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;
import java.time.Duration;

/**
 * For how long records answer, of {@link Idempotent} methods that do not say so.
 *
 * @param duration the retention
 */
public record DefaultRetention(Duration duration) {}

package io.smallrye.faulttolerance.api;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** A copy of SmallRye's annotation, which the checks recognize by its name. */
@Retention(RetentionPolicy.RUNTIME)
public @interface ApplyGuard {}

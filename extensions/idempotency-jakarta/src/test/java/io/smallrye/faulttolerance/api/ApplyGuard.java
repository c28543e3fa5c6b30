package io.smallrye.faulttolerance.api;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Plays the annotation of that library, which is known by its name. */
@Retention(RetentionPolicy.RUNTIME)
public @interface ApplyGuard {}

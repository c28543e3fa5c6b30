package io.smallrye.faulttolerance.api;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands in for the library's annotation, which is recognised by its name. */
@Retention(RetentionPolicy.RUNTIME)
public @interface ApplyGuard {}

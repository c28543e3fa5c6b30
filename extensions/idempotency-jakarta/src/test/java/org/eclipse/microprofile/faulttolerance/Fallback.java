package org.eclipse.microprofile.faulttolerance;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Plays the annotation of that library, which is known by its name. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Fallback {}

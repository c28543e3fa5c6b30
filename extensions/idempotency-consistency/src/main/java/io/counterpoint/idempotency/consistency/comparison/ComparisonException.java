package io.counterpoint.idempotency.consistency.comparison;

import org.jspecify.annotations.Nullable;

/**
 * The base class of the exceptions that a comparison throws. Nothing is lost: what the journal has confirmed stays, and
 * calling the comparison again continues the run from there. Messages name keys and fields, never values.
 */
public abstract sealed class ComparisonException extends RuntimeException
        permits FieldsDifferException,
                InterruptedRunException,
                NoCanonicalFormException,
                OutOfOrderException,
                SourceFailedException,
                SupersededException,
                TargetFailedException,
                UnlistedColumnsException {
    private static final long serialVersionUID = 1L;

    ComparisonException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

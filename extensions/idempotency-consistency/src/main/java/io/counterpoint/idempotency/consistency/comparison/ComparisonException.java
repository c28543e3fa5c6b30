package io.counterpoint.idempotency.consistency.comparison;

import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison throws on its own account. Nothing is lost by it: what the journal has confirmed stays, and the same
 * run goes on from there when it is called again. Messages name keys and fields, never values.
 */
public abstract sealed class ComparisonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private ComparisonException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** A source has columns that would not be compared, and nobody said that they need not be. */
    public static final class UnlistedColumnsException extends ComparisonException {
        private static final long serialVersionUID = 1L;

        UnlistedColumnsException(String comparison, Side side, Collection<String> columns) {
            super(
                    "The " + side + " source of comparison '" + comparison + "' has columns that are in no field: "
                            + columns
                            + ". Add them to the fields, or name them in ignoring(...). Nothing was compared.",
                    null);
        }
    }

    /** A source gave its keys in another order than the one it declares, so that its rows cannot be merged. */
    public static final class OutOfOrderException extends ComparisonException {
        private static final long serialVersionUID = 1L;

        OutOfOrderException(Side side, KeyOrder<?> order, Object previous, Object found) {
            super(
                    "The " + side + " source gave the key " + found + " after " + previous
                            + ", which is not the ascending order '" + order
                            + "' that it declares. Order its rows by that: texts by code point, as the collation \"C\""
                            + " does, and no key twice.",
                    null);
        }
    }

    /** The rows of the two sources do not have the same fields. */
    public static final class FieldsDifferException extends ComparisonException {
        private static final long serialVersionUID = 1L;

        FieldsDifferException(Object key, Set<String> old, Set<String> replacement) {
            super(
                    "The rows of key " + key + " have the fields " + old + " in the old source and " + replacement
                            + " in the new one. Give what means the same the same name, or ignore the field.",
                    null);
        }
    }

    /** A value of a type that cannot be compared, or that its canonical form could not be made of. */
    public static final class NoCanonicalFormException extends ComparisonException {
        private static final long serialVersionUID = 1L;

        NoCanonicalFormException(Object key, String field, RuntimeException cause) {
            super(
                    "The field " + field + " of key " + key + " has no canonical form: " + cause.getMessage()
                            + " Give it one in the comparison's builder, or ignore the field.",
                    cause);
        }
    }

    /** A source could not be read. */
    public static final class SourceFailedException extends ComparisonException {
        private static final long serialVersionUID = 1L;

        SourceFailedException(Side side, RuntimeException cause) {
            super(
                    "The " + side + " source could not be read: " + cause.getMessage()
                            + " What was confirmed is kept; call again to go on.",
                    cause);
        }
    }

    /** The changes of a repair could not be made; those of earlier batches are, and calling again goes on. */
    public static final class TargetFailedException extends ComparisonException {
        private static final long serialVersionUID = 1L;

        TargetFailedException(Side side, long written, RuntimeException cause) {
            super(
                    "The " + side + " source could not be repaired any further after " + written + " changes: "
                            + cause.getMessage() + " Call again to go on.",
                    cause);
        }
    }

    /** Another run has begun or continued this comparison meanwhile; this one stops and has written nothing since. */
    public static final class SupersededException extends ComparisonException {
        private static final long serialVersionUID = 1L;

        SupersededException(String comparison) {
            super(
                    "The comparison '" + comparison + "' was begun or continued by another run, so this one ended."
                            + " Run one at a time, or give them different names.",
                    null);
        }
    }

    /** The thread was interrupted; it still is. */
    public static final class InterruptedRunException extends ComparisonException {
        private static final long serialVersionUID = 1L;

        InterruptedRunException(String comparison) {
            super(
                    "The comparison '" + comparison + "' was interrupted. What was confirmed is kept; call again to go"
                            + " on.",
                    null);
        }
    }
}

package io.counterpoint.idempotency.consistency.comparison;

/** Thrown if a source returned its keys in an order other than the declared one, so that its rows cannot be merged. */
public final class OutOfOrderException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    OutOfOrderException(Side side, KeyOrder<?> order, Object previous, Object found) {
        super(
                "The " + side + " source returned the key " + found + " after " + previous + ", which violates its"
                        + " declared ascending order '" + order + "'. Sort its rows in that order, texts by code"
                        + " point as in the collation \"C\", without duplicate keys.",
                null);
    }
}

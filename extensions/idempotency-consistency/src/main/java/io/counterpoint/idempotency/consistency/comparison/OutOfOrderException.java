package io.counterpoint.idempotency.consistency.comparison;

/** A source gave its keys in another order than the one it declares, so that its rows cannot be merged. */
public final class OutOfOrderException extends ComparisonException {
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

package io.counterpoint.idempotency.consistency.comparison;

import java.util.Locale;

/** One of the two sources of a comparison. */
public enum Side {
    /** The original source. */
    OLD,

    /** The source that will replace it. */
    NEW;

    Side other() {
        return this == OLD ? NEW : OLD;
    }

    /** The name in lower case. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Item;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The findings that one call of a repair processes, and the decisions about them. */
@FunctionalInterface
interface RepairScope<K> extends Recheck.Verified<K> {

    /** Returns the findings after a number, each with the decision about which side is correct. */
    List<Item<K>> page(long after, int limit);

    @Override
    default void accept(K key, @Nullable Finding<K> now) {}

    /** Called when all are verified. */
    default void end() {}
}

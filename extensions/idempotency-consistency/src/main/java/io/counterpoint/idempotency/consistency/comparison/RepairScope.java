package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Item;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The findings that one call of a repair goes through, and what is to be done about them. */
@FunctionalInterface
interface RepairScope<K> extends Recheck.Verified<K> {

    /** The findings after a number, each with the decision which side is right. */
    List<Item<K>> page(long after, int limit);

    @Override
    default void accept(K key, @Nullable Finding<K> now) {}

    /** All are verified. */
    default void end() {}
}

package io.counterpoint.idempotency.consistency.comparison;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Merges both sides in key order, each key once. */
final class Merge<K> {

    private final KeyOrder<K> order;
    private final OrderedRows<K> old;
    private final OrderedRows<K> replacement;

    Merge(Sides<K> sides, Optional<K> after, int pageSize) {
        order = sides.order();
        old = new OrderedRows<>(sides, Side.OLD, after, pageSize);
        replacement = new OrderedRows<>(sides, Side.NEW, after, pageSize);
    }

    /** The rows of both sides for a key; at least one of them exists. */
    record Pair<K>(K key, @Nullable Row<K> old, @Nullable Row<K> replacement) {}

    /** Returns the next pair; null if there are no more. */
    @Nullable
    Pair<K> next() {
        Row<K> oldRow = old.peek();
        Row<K> newRow = replacement.peek();
        if (oldRow == null) {
            return newRow == null ? null : onlyNew(newRow);
        }
        if (newRow == null) {
            return onlyOld(oldRow);
        }
        int compared = order.compare(oldRow.key(), newRow.key());
        if (compared < 0) {
            return onlyOld(oldRow);
        }
        if (compared > 0) {
            return onlyNew(newRow);
        }
        old.take();
        replacement.take();
        return new Pair<>(oldRow.key(), oldRow, newRow);
    }

    private Pair<K> onlyOld(Row<K> row) {
        old.take();
        return new Pair<>(row.key(), row, null);
    }

    private Pair<K> onlyNew(Row<K> row) {
        replacement.take();
        return new Pair<>(row.key(), null, row);
    }
}

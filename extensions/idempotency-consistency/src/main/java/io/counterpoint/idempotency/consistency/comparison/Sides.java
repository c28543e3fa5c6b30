package io.counterpoint.idempotency.consistency.comparison;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Both sources, with attribution of failures. */
record Sides<K>(Source<K> old, Source<K> replacement) {

    KeyOrder<K> order() {
        return old.order();
    }

    Source<K> source(Side side) {
        return side == Side.OLD ? old : replacement;
    }

    List<Row<K>> page(Side side, Optional<K> after, int limit) {
        try {
            return source(side).page(after, limit);
        } catch (RuntimeException e) {
            throw new SourceFailedException(side, e);
        }
    }

    Collection<String> unlisted(Side side) {
        try {
            return source(side).unlisted();
        } catch (RuntimeException e) {
            throw new SourceFailedException(side, e);
        }
    }

    /** Returns the rows with these keys, by key. */
    Map<K, Row<K>> find(Side side, List<K> keys) {
        Map<K, Row<K>> found = new TreeMap<>(order().comparator());
        try {
            source(side).find(keys).forEach(row -> found.put(row.key(), row));
        } catch (RuntimeException e) {
            throw new SourceFailedException(side, e);
        }
        return found;
    }
}

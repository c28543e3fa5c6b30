package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Item;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/** The keys of the findings up to a number whose correct side is known, read from the journal on demand. */
final class FoundKeys<K> implements Iterator<K> {

    private final RepairScope<K> scope;
    private final long last;
    private long read;
    private Iterator<Item<K>> page = List.<Item<K>>of().iterator();
    private Optional<K> next = Optional.empty();

    FoundKeys(RepairScope<K> scope, long last) {
        this.scope = scope;
        this.last = last;
    }

    @Override
    public boolean hasNext() {
        while (next.isEmpty() && (page.hasNext() || read())) {
            Item<K> item = page.next();
            read = item.number();
            next = read <= last && item.right().isPresent()
                    ? Optional.of(item.finding().key())
                    : next;
        }
        return next.isPresent();
    }

    private boolean read() {
        page = read < last
                ? scope.page(read, Suspects.BATCH).iterator()
                : List.<Item<K>>of().iterator();
        return page.hasNext();
    }

    @Override
    public K next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        K key = next.orElseThrow();
        next = Optional.empty();
        return key;
    }
}

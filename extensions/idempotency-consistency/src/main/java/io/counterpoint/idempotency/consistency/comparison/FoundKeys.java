package io.counterpoint.idempotency.consistency.comparison;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** The keys of the first findings, read from the journal as they are needed. */
final class FoundKeys<K> implements Iterator<K> {

    private final ComparisonSettings<K> comparison;
    private final long end;
    private long read;
    private Iterator<Finding<K>> page = List.<Finding<K>>of().iterator();

    FoundKeys(ComparisonSettings<K> comparison, long end) {
        this.comparison = comparison;
        this.end = end;
    }

    @Override
    public boolean hasNext() {
        if (!page.hasNext() && read < end) {
            List<Finding<K>> next = comparison.findings(read, (int) Math.min(Suspects.BATCH, end - read));
            read = next.isEmpty() ? end : read + next.size();
            page = next.iterator();
        }
        return page.hasNext();
    }

    @Override
    public K next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return page.next().key();
    }
}

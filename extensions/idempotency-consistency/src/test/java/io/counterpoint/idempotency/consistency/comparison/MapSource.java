package io.counterpoint.idempotency.consistency.comparison;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A source in memory, whose pages are counted and can be made to fail. */
final class MapSource<K> implements Source<K>, RepairTarget<K> {

    final TreeMap<K, Row<K>> rows;
    final List<Optional<K>> pages = new ArrayList<>();
    int pagesUntilFailure = Integer.MAX_VALUE;
    private final KeyOrder<K> order;

    MapSource(KeyOrder<K> order) {
        this.order = order;
        this.rows = new TreeMap<>(order.comparator());
    }

    MapSource<K> put(K key, Object value) {
        rows.put(key, Row.of(key, Map.of("value", value)));
        return this;
    }

    @Override
    public KeyOrder<K> order() {
        return order;
    }

    @Override
    public List<Row<K>> page(Optional<K> after, int limit) {
        if (pages.size() >= pagesUntilFailure) {
            throw new IllegalStateException("no more pages");
        }
        pages.add(after);
        return after.map(key -> rows.tailMap(key, false)).orElse(rows).values().stream()
                .limit(limit)
                .toList();
    }

    @Override
    public List<Row<K>> find(Collection<K> keys) {
        return keys.stream().filter(rows::containsKey).map(rows::get).toList();
    }

    @Override
    public List<Change<K>> apply(List<Change<K>> changes) {
        changes.forEach(change -> change.<Object>fold(
                insert -> rows.put(insert.key(), insert.wanted()),
                update -> rows.put(update.key(), update.wanted()),
                delete -> rows.remove(delete.key())));
        return changes;
    }
}

package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.Change;
import io.counterpoint.idempotency.consistency.comparison.KeyOrder;
import io.counterpoint.idempotency.consistency.comparison.RepairTarget;
import io.counterpoint.idempotency.consistency.comparison.Row;
import io.counterpoint.idempotency.consistency.comparison.Source;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A side of a comparison whose repair leaves alone what was not chosen. */
final class ChosenChanges<K> implements Source<K>, RepairTarget<K> {

    private final Source<K> source;
    private final RepairTarget<K> target;
    private final Predicate<K> chosen;

    /** Reads from a source and writes the chosen keys to a target. */
    ChosenChanges(Source<K> source, RepairTarget<K> target, Predicate<K> chosen) {
        this.source = source;
        this.target = target;
        this.chosen = chosen;
    }

    @Override
    public KeyOrder<K> order() {
        return source.order();
    }

    @Override
    public List<Row<K>> page(Optional<K> after, int limit) {
        return source.page(after, limit);
    }

    @Override
    public List<Row<K>> find(Collection<K> keys) {
        return source.find(keys);
    }

    @Override
    public List<Change<K>> apply(List<Change<K>> changes) {
        List<Change<K>> some =
                changes.stream().filter(change -> chosen.test(change.key())).toList();
        return some.isEmpty() ? some : target.apply(some);
    }
}
